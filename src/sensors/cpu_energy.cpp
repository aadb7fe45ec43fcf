#include "sensors/cpu_energy.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace tokenjoule {

namespace {

constexpr Nanoseconds kUntilSecondLook = milliseconds(20);  // the counters step every millisecond

struct KindRow {
  CpuPartKind kind;
  std::string_view name;
  std::string_view device;
  DeviceKind device_kind;
  Boundary boundary;
};

constexpr KindRow kKinds[] = {
    {CpuPartKind::package, "package", "cpu", DeviceKind::cpu, Boundary::cpu_package},
    {CpuPartKind::core, "core", "cpu", DeviceKind::cpu, Boundary::cpu_core},
    {CpuPartKind::dram, "dram", "memory", DeviceKind::memory, Boundary::dram},
    {CpuPartKind::psys, "psys", "node", DeviceKind::node, Boundary::psys},
};

const KindRow& row_of(CpuPartKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

/// A counter, opened and looked at.
struct Probed {
  CpuPart part;
  Signal signal;
  std::unique_ptr<ValueSource> source;
  std::optional<Error> error;  ///< why it cannot be used
};

Signal completed(const CpuCounters& found, const CpuPart& part, Signal signal) {
  signal.sensor = found.sensor;
  signal.device = device_id_of(part);
  signal.measurand = Measurand::energy;
  signal.kind = SignalKind::counter;
  signal.boundary = row_of(part.kind).boundary;
  signal.driver = found.driver;
  return signal;
}

/// Whether a read gave 0; its error goes to the counter.
bool reads_zero(Probed& probed, Clock& clock) {
  const auto raw = probed.source->read(clock.now());
  if (!raw) probed.error = raw.error();
  return raw && *raw == 0;
}

void look_twice_at_zeros(std::vector<Probed>& all, Clock& clock) {
  std::vector<Probed*> zeros;
  for (Probed& probed : all) {
    if (!probed.error && reads_zero(probed, clock)) zeros.push_back(&probed);
  }
  if (zeros.empty()) return;
  clock.sleep_until(clock.now() + kUntilSecondLook, {});
  for (Probed* probed : zeros) {
    if (!reads_zero(*probed, clock)) continue;
    probed->error =
        Error{.kind = ErrorKind::missing,
              .message = fmt::format("{} stands at 0", probed->signal.source),
              .hint = "on a virtual machine, measure on its host; else reboot the machine"};
  }
}

std::vector<Probed> probed_counters(CpuCounters& found, Clock& clock) {
  std::vector<Probed> all;
  for (CpuCounter& counter : found.counters) {
    Probed probed{counter.part, completed(found, counter.part, counter.signal), nullptr, {}};
    if (counter.source) {
      probed.source = std::move(*counter.source);
    } else {
      probed.error = counter.source.error();
    }
    all.push_back(std::move(probed));
  }
  look_twice_at_zeros(all, clock);
  return all;
}

bool is_readable(const std::vector<Probed>& all, CpuPartKind kind) {
  return std::any_of(all.begin(), all.end(), [&](const Probed& probed) {
    return probed.part.kind == kind && !probed.error;
  });
}

/// Sockets that have no counter of a kind that another socket has.
void add_missing_sockets(std::vector<Probed>& all, const CpuCounters& found) {
  std::set<int> sockets;
  for (const CpuPlace& place : found.places) sockets.insert(place.package);
  for (const CpuPartKind kind : {CpuPartKind::package, CpuPartKind::core, CpuPartKind::dram}) {
    if (!is_readable(all, kind)) continue;
    for (const int socket : sockets) {
      const bool listed = std::any_of(all.begin(), all.end(), [&](const Probed& probed) {
        return probed.part.kind == kind && probed.part.package == socket;
      });
      if (listed) continue;
      const CpuPart part{kind, socket, {}};
      Signal signal = all.front().signal;
      signal.modulus.reset();
      signal.source = fmt::format("{} of {}: not offered", row_of(kind).name, package_name(part));
      const std::string why = fmt::format("{} has no counter for the {} of {}, which is there",
                                          found.sensor, row_of(kind).name, package_name(part));
      all.push_back({part, completed(found, part, std::move(signal)), nullptr,
                     Error{.kind = ErrorKind::missing, .message = why}});
    }
  }
}

void add_device(std::vector<Device>& devices, const CpuPart& part, const CpuModel& model) {
  const std::string id = device_id_of(part);
  const bool listed = std::any_of(devices.begin(), devices.end(),
                                  [&](const Device& device) { return device.id == id; });
  if (listed) return;
  const bool is_cpu = row_of(part.kind).device_kind == DeviceKind::cpu;
  devices.push_back({.id = id,
                     .name = is_cpu ? model.name : "",
                     .kind = row_of(part.kind).device_kind,
                     .label = part.kind == CpuPartKind::psys ? "psys" : package_name(part)});
}

Error nothing_readable(const CpuCounters& found, const std::vector<Probed>& all) {
  if (!all.empty()) {
    Error error = *all.front().error;
    error.kind = ErrorKind::missing;
    return error;
  }
  return no_cpu_counters(fmt::format("{} offers no counter that is known here ({})", found.sensor,
                                     fmt::join(found.left_out, "; ")),
                         found.model, "measure the node: see ipmi, redfish, snmp");
}

}  // namespace

std::string package_name(const CpuPart& part) {
  return part.die ? fmt::format("package-{}-die-{}", part.package, *part.die)
                  : fmt::format("package-{}", part.package);
}

std::string device_id_of(const CpuPart& part) {
  const KindRow& row = row_of(part.kind);
  return fmt::format("{}:{}", row.device,
                     part.kind == CpuPartKind::psys ? std::string("psys") : package_name(part));
}

void name_dies_only_where_several(std::vector<CpuPart*> parts) {
  std::set<std::pair<int, std::optional<int>>> dies;
  for (const CpuPart* part : parts) dies.insert({part->package, part->die});
  for (CpuPart* part : parts) {
    const auto of_package = std::count_if(
        dies.begin(), dies.end(), [&](const auto& die) { return die.first == part->package; });
    if (of_package == 1) part->die.reset();
  }
}

Watts most_of(CpuPartKind kind) {
  // Four times what the hungriest server CPUs are rated at (500 W); a whole node of eight GPUs
  // draws half of the other.
  return kind == CpuPartKind::psys ? Watts(20'000) : Watts(2'000);
}

Result<std::unique_ptr<Sensor>> cpu_energy_sensor(CpuCounters found, const std::string& group,
                                                  Clock& clock) {
  std::vector<Probed> all = probed_counters(found, clock);
  const bool any = std::any_of(all.begin(), all.end(),
                               [](const Probed& probed) { return !probed.error.has_value(); });
  if (!any) return unexpected(nothing_readable(found, all));
  add_missing_sockets(all, found);
  std::vector<Device> devices;
  std::vector<SensorValue> values;
  for (Probed& probed : all) {
    if (!is_readable(all, probed.part.kind)) {
      found.left_out.push_back(probed.error->message);
      continue;
    }
    add_device(devices, probed.part, found.model);
    values.push_back({std::move(probed.signal), probed.error
                                                    ? unreadable_value(probed.error->message)
                                                    : std::move(probed.source)});
  }
  if (!is_readable(all, CpuPartKind::dram)) {
    found.left_out.emplace_back("memory: no counter, so its energy is in no figure");
  }
  if (!found.left_out.empty()) {
    devices.front().facts[kLeftOutFact] = fmt::format("{}", fmt::join(found.left_out, "; "));
  }
  return value_sensor(std::move(devices), std::move(values), {}, group, clock.now());
}

Error no_cpu_counters(std::string message, const CpuModel& model, std::string_view otherwise) {
  if (!model.virtual_machine) {
    return {
        .kind = ErrorKind::missing, .message = std::move(message), .hint = std::string(otherwise)};
  }
  return {.kind = ErrorKind::missing,
          .message = message + ": this is a virtual machine",
          .hint =
              "measure on its host, or its node from outside (ipmi, redfish, snmp); cpu-model "
              "states a model"};
}

}  // namespace tokenjoule
