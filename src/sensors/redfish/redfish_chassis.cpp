#include "sensors/redfish/redfish_chassis.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

constexpr char kChassis[] = "/redfish/v1/Chassis";

std::string text_at(const JsonView& page, std::string_view pointer) {
  return std::string(redfish_at(page, pointer).string().value_or(""));
}

std::string link_at(const JsonView& page, const std::string& member) {
  return text_at(page, member + "/@odata.id");
}

/// The last part of a path: the id by which people call a resource.
std::string id_in(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

/// Paths of a collection's members, each once.
std::vector<std::string> members_of(const JsonView& collection) {
  std::vector<std::string> paths;
  const JsonView members = collection["Members"];
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::string path(members[i]["@odata.id"].string().value_or(""));
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + " " + b;
}

Result<RedfishChassis> chassis_at(const RedfishPages& pages, const std::string& path) {
  TRY(const JsonDocument document, pages(path));
  const JsonView page = document.root();
  RedfishChassis chassis{.id = id_in(path),
                         .identity = text_at(page, "UUID"),
                         .model = joined(text_at(page, "Manufacturer"), text_at(page, "Model")),
                         .environment = link_at(page, "EnvironmentMetrics"),
                         .power = link_at(page, "Power")};
  if (chassis.identity.empty())
    chassis.identity = std::string(trimmed(text_at(page, "SerialNumber")));
  const std::string subsystem = link_at(page, "PowerSubsystem");
  if (!subsystem.empty()) {
    TRY(const JsonDocument power, pages(subsystem));
    chassis.supplies = link_at(power.root(), "PowerSupplies");
  }
  if (!chassis.supplies.empty()) {
    TRY(const JsonDocument collection, pages(chassis.supplies));
    chassis.has_supplies = !members_of(collection.root()).empty();
  } else if (!chassis.power.empty()) {
    TRY(const JsonDocument power, pages(chassis.power));
    chassis.has_supplies = power.root()["PowerSupplies"].size() > 0;
  }
  return chassis;
}

tl::unexpected<Error> undecided(const std::vector<RedfishChassis>& all, std::string_view what) {
  std::vector<std::string> ids;
  for (const RedfishChassis& chassis : all) ids.push_back(chassis.id);
  return failure(ErrorKind::missing, fmt::format("{}: {}", what, fmt::join(ids, ", ")),
                 "say which one is the node: chassis=ID");
}

/// One that holds the power supplies is the node; those inside it are parts.
Result<RedfishChassis> node_among(std::vector<RedfishChassis> all) {
  std::vector<RedfishChassis> fed;
  std::vector<RedfishChassis> measuring;
  for (RedfishChassis& chassis : all) {
    if (chassis.has_supplies) fed.push_back(chassis);
    if (!chassis.environment.empty() || !chassis.power.empty()) measuring.push_back(chassis);
  }
  if (fed.size() == 1) return fed.front();
  if (fed.size() > 1) return undecided(fed, "several chassis have power supplies");
  if (measuring.size() == 1) return measuring.front();
  if (measuring.empty()) return undecided(all, "no chassis measures power");
  return undecided(measuring, "several chassis may measure power and none has power supplies");
}

const char* first_of(const JsonView& page, std::initializer_list<const char*> pointers) {
  for (const char* pointer : pointers) {
    if (redfish_at(page, pointer).present()) return pointer;
  }
  return *pointers.begin();
}

bool is_number(const JsonView& view) {
  const auto text = view.string();
  return view.number().has_value() || (text && number_in(trimmed(*text)));
}

/// Which of its values a supply gives now.
void note_values(RedfishSupply& supply, const JsonView& page) {
  if (is_number(redfish_at(page, supply.input_pointer))) supply.has.insert("input");
  if (is_number(redfish_at(page, supply.output_pointer))) supply.has.insert("output");
  if (is_number(redfish_at(page, supply.energy_pointer))) supply.has.insert("energy");
}

/// From the page Power, where supplies are items of a list; an item is known by its name, since the
/// list may be shorter next time.
std::vector<RedfishSupply> listed_supplies(const std::string& path, const JsonView& page) {
  std::vector<RedfishSupply> supplies;
  const JsonView list = page["PowerSupplies"];
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i]["Status"]["State"].string() == "Absent") continue;
    const std::string item = fmt::format("PowerSupplies/{}/", i);
    const char* name = list[i]["@odata.id"].present() ? "@odata.id" : "MemberId";
    if (list[i][name].present() && !seen.insert(list[i][name].text()).second) continue;
    RedfishSupply supply{
        .id = text_at(list[i], "MemberId"),
        .page = path,
        .input_pointer = item + "PowerInputWatts",
        .output_pointer = item + first_of(list[i], {"PowerOutputWatts", "LastPowerOutputWatts"}),
        .energy_pointer = {},
        .conditions = {{item + name, list[i][name].text()}}};
    if (supply.id.empty()) supply.id = fmt::format("supply {}", i);
    note_values(supply, page);
    supplies.push_back(std::move(supply));
  }
  return supplies;
}

/// Of the newer kind: a page of its own, with a page of metrics. nullopt: not plugged in.
Result<std::optional<RedfishSupply>> supply_at(const RedfishPages& pages, const std::string& path) {
  TRY(const JsonDocument document, pages(path));
  const JsonView page = document.root();
  if (page["Status"]["State"].string() == "Absent") return std::optional<RedfishSupply>();
  RedfishSupply supply{.id = id_in(path),
                       .page = link_at(page, "Metrics"),
                       .input_pointer = "InputPowerWatts/Reading",
                       .output_pointer = "OutputPowerWatts/Reading",
                       .energy_pointer = "EnergykWh/Reading"};
  if (supply.page.empty()) {
    supply.page = path;  // it gives nothing, and stands for what is missing
  } else {
    TRY(const JsonDocument metrics, pages(supply.page));
    note_values(supply, metrics.root());
  }
  return std::optional(std::move(supply));
}

}  // namespace

JsonView redfish_at(const JsonView& page, std::string_view pointer) {
  JsonView view = page;
  for (const std::string_view step : split(pointer, '/')) {
    const auto index = view.is(JsonNode::Type::array) ? integer_in(step) : std::nullopt;
    view = index && *index >= 0 ? view[static_cast<std::size_t>(*index)] : view[step];
  }
  return view;
}

Result<RedfishChassis> redfish_chassis(const RedfishPages& pages, const std::string& id) {
  TRY(const JsonDocument collection, pages(kChassis));
  const std::vector<std::string> paths = members_of(collection.root());
  std::vector<std::string> ids;
  for (const std::string& path : paths) ids.push_back(id_in(path));
  if (!id.empty()) {
    const auto named = std::find(ids.begin(), ids.end(), id);
    if (named != ids.end())
      return chassis_at(pages, paths[static_cast<std::size_t>(named - ids.begin())]);
    return failure(ErrorKind::missing,
                   fmt::format("there is no chassis {}{}", quoted(id), did_you_mean(id, ids)),
                   fmt::format("it has: {}", fmt::join(ids, ", ")));
  }
  std::vector<RedfishChassis> all;
  for (const std::string& path : paths) {
    TRY(RedfishChassis chassis, chassis_at(pages, path));
    all.push_back(std::move(chassis));
  }
  return node_among(std::move(all));
}

Result<std::vector<RedfishSupply>> redfish_supplies(const RedfishPages& pages,
                                                    const RedfishChassis& chassis) {
  std::vector<RedfishSupply> supplies;
  if (chassis.supplies.empty()) {
    if (chassis.power.empty()) return supplies;
    TRY(const JsonDocument page, pages(chassis.power));
    return listed_supplies(chassis.power, page.root());
  }
  TRY(const JsonDocument collection, pages(chassis.supplies));
  for (const std::string& path : members_of(collection.root())) {
    TRY(auto supply, supply_at(pages, path));
    if (supply) supplies.push_back(std::move(*supply));
  }
  return supplies;
}

}  // namespace tokenjoule
