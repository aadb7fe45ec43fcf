#include "model/run.hpp"

#include <algorithm>

namespace tokenjoule {

namespace {

struct Adder {
  Run& run;
  void operator()(RunHeader&& header) const { run.header = std::move(header); }
  /// A device that comes again brings facts that were learnt later.
  void operator()(Device&& device) const {
    for (Device& known : run.devices) {
      if (known.id != device.id) continue;
      for (auto& [name, fact] : device.facts) known.facts[name] = std::move(fact);
      return;
    }
    run.devices.push_back(std::move(device));
  }
  void operator()(Signal&& signal) const { run.signals.push_back(std::move(signal)); }
  void operator()(EngineInfo&& engine) const { run.engine = std::move(engine); }
  void operator()(Sample&& sample) const { run.samples.push_back(std::move(sample)); }
  void operator()(RequestRecord&& request) const { run.requests.push_back(std::move(request)); }
  void operator()(CounterScrape&& scrape) const { run.scrapes.push_back(std::move(scrape)); }
  void operator()(Mark&& mark) const { run.marks.push_back(mark); }
  void operator()(Note&& note) const { run.notes.push_back(std::move(note)); }
  void operator()(ClockAnchor&& anchor) const { run.anchors.push_back(anchor); }
  void operator()(Loss&& loss) const { run.losses.push_back(std::move(loss)); }
  void operator()(ClientState&& state) const { run.client.push_back(std::move(state)); }
  void operator()(RunClose&& close) const { run.close = std::move(close); }
};

}  // namespace

void add_event(Run& run, Event event) { std::visit(Adder{run}, std::move(event)); }

const Device* device_of(const Run& run, const std::string& id) {
  const auto at = std::find_if(run.devices.begin(), run.devices.end(),
                               [&](const Device& device) { return device.id == id; });
  return at == run.devices.end() ? nullptr : &*at;
}

const Signal* signal_of(const Run& run, std::uint32_t id) {
  const auto at = std::find_if(run.signals.begin(), run.signals.end(),
                               [&](const Signal& signal) { return signal.id == id; });
  return at == run.signals.end() ? nullptr : &*at;
}

std::optional<MonoTime> start_of(const Run& run, Phase phase) {
  for (const Mark& mark : run.marks) {
    if (mark.phase == phase) return mark.at;
  }
  return std::nullopt;
}

}  // namespace tokenjoule
