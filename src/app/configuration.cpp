#include "app/configuration.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "app/output.hpp"
#include "base/text.hpp"
#include "io/digest.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

constexpr const char* kDefaultFile = "tokenjoule.toml";

/// Reads the tables of one file; every error names the file and the line.
class Reader {
 public:
  explicit Reader(std::string file) { configuration_.file = std::move(file); }

  Result<Configuration> read(const toml::table& root) {
    for (const auto& [key, node] : root) {
      const std::string name(key.str());
      if (name == "sensor") {
        TRY_DO(each_table(node, name, &Reader::take_sensor));
      } else if (name != "node" && name != "calibration") {
        const std::string known[] = {"sensor", "node", "calibration"};
        return wrong(node, fmt::format("there is no [{}]{}", quoted(name), hint(name, known)),
                     "it has [sensor.NAME], [node.NAME] and [calibration.NAME]");
      }
    }
    // Behind the sensors, whose names they take.
    if (const auto* nodes = root.get("node")) {
      TRY_DO(each_table(*nodes, "node", &Reader::take_node));
    }
    if (const auto* calibrations = root.get("calibration")) {
      TRY_DO(each_table(*calibrations, "calibration", &Reader::take_calibration));
    }
    return std::move(configuration_);
  }

 private:
  using Take = Status (Reader::*)(const std::string& name, const toml::table& table);

  tl::unexpected<Error> wrong(const toml::node& at, const std::string& what,
                              std::string advice) const {
    return failure(
        ErrorKind::usage,
        fmt::format("{}, line {}: {}", configuration_.file, at.source().begin.line, what),
        std::move(advice));
  }
  template <typename Names>
  static std::string hint(const std::string& word, const Names& names) {
    return did_you_mean(word, names);
  }

  Status each_table(const toml::node& node, const std::string& kind, Take take) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      return wrong(node, kind + " is no table", fmt::format("write it as [{}.NAME]", kind));
    }
    for (const auto& [key, entry] : *table) {
      const toml::table* of_name = entry.as_table();
      if (of_name == nullptr) {
        return wrong(entry, fmt::format("\"{}\" stands in no [{}.NAME]", quoted(key.str()), kind),
                     fmt::format("write it below [{}.NAME]", kind));
      }
      TRY_DO((this->*take)(std::string(key.str()), *of_name));
    }
    return {};
  }

  Status check_keys(const std::string& what, const toml::table& table,
                    const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return wrong(node, fmt::format("{} has no \"{}\"{}", what, quoted(name), hint(name, known)),
                   fmt::format("it takes: {}", fmt::join(known, ", ")));
    }
    return {};
  }

  Result<std::string> need_text(const toml::table& table, const std::string& what,
                                const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return wrong(table, fmt::format("{} lacks {}", what, key),
                   fmt::format("add {} = \"…\"", key));
    }
    if (const auto text = node->value_exact<std::string>(); text && !text->empty()) return *text;
    return wrong(*node, fmt::format("{} of {} is no text", key, what),
                 fmt::format("write it as {} = \"…\"", key));
  }

  Result<double> need_number(const toml::table& table, const std::string& what, const char* key,
                             double low, double high) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return wrong(table, fmt::format("{} lacks {}", what, key),
                   fmt::format("add {} = NUMBER", key));
    }
    const bool is_number = node->is_integer() || node->is_floating_point();
    const auto number = node->value<double>();
    if (is_number && number && *number >= low && *number <= high) return *number;
    return wrong(*node, fmt::format("{} of {} is no number from {} to {}", key, what, low, high),
                 fmt::format("write it as {} = NUMBER", key));
  }

  Result<std::vector<std::string>> texts(const toml::table& table, const std::string& what,
                                         const char* key) const {
    std::vector<std::string> list;
    const toml::node* node = table.get(key);
    if (node == nullptr) return list;
    const toml::array* array = node->as_array();
    const std::string how = fmt::format("write it as {} = [\"SENSOR\", \"SENSOR:DEVICE\"]", key);
    if (array == nullptr) return wrong(*node, fmt::format("{} of {} is no list", key, what), how);
    for (const toml::node& item : *array) {
      const auto text = item.value_exact<std::string>();
      if (!text) return wrong(item, fmt::format("{} of {} holds what is no text", key, what), how);
      TRY_DO(check_sensor(item, text->substr(0, text->find(':'))));
      list.push_back(*text);
    }
    return list;
  }

  Status check_sensor(const toml::node& at, const std::string& name) const {
    std::vector<std::string> names;
    for (const SensorSpec& spec : configuration_.sensors) names.push_back(spec.label);
    for (const SensorType& type : sensor_types()) names.emplace_back(type.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) return {};
    return wrong(at, fmt::format("there is no sensor \"{}\"{}", quoted(name), hint(name, names)),
                 fmt::format("give it a [sensor.{}] of its own", quoted(name)));
  }

  /// A secret is named, never written out.
  Status refuse_secret(const std::string& key, const toml::node& node) const {
    const std::string lower = lower_case(key);
    for (const char* word : {"password", "passphrase", "token", "secret", "api_key", "apikey"}) {
      if (!ends_with(lower, word)) continue;
      return wrong(node, fmt::format("{} is written out, and a secret must not be", quoted(key)),
                   fmt::format("name where it is: {0}_env = \"VARIABLE\" or {0}_file = \"PATH\"",
                               quoted(key)));
    }
    const auto text = node.value_exact<std::string>();
    const auto scheme = text ? text->find("://") : std::string::npos;
    if (scheme == std::string::npos) return {};
    const auto authority_end = text->find_first_of("/?#", scheme + 3);
    if (text->substr(0, authority_end).find('@') == std::string::npos) return {};
    return wrong(node, fmt::format("the URL of {} has a user and a password in it", quoted(key)),
                 "give them apart: user = \"…\", password_env = \"VARIABLE\"");
  }

  Result<std::string> setting_text(const std::string& key, const toml::node& node) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto number = node.value_exact<std::int64_t>()) return fmt::format("{}", *number);
    if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
    if (const auto truth = node.value_exact<bool>()) return std::string(*truth ? "yes" : "no");
    return wrong(node, fmt::format("{} is neither text, number nor true or false", quoted(key)),
                 fmt::format("write it as {} = \"…\"", quoted(key)));
  }

  Status take_sensor(const std::string& name, const toml::table& table) {
    const std::string what = fmt::format("[sensor.{}]", quoted(name));
    TRY(const std::string type_name, need_text(table, what, "type"));
    const auto& types = sensor_types();
    const auto type = std::find_if(types.begin(), types.end(),
                                   [&](const SensorType& each) { return each.name == type_name; });
    if (type == types.end()) {
      std::vector<std::string> names;
      for (const SensorType& each : types) names.emplace_back(each.name);
      return wrong(*table.get("type"),
                   fmt::format("{}: there is no sensor of type \"{}\"{}", what, quoted(type_name),
                               hint(type_name, names)),
                   "see the list: tokenjoule sensors");
    }
    const bool takes_a_name = std::any_of(types.begin(), types.end(), [&](const SensorType& each) {
      return each.name == name && each.name != type_name;
    });
    if (takes_a_name) {
      return wrong(table, fmt::format("{} is the name of another type of sensor", what),
                   "choose another name");
    }
    return take_settings(name, table, *type);
  }

  Status take_settings(const std::string& name, const toml::table& table, const SensorType& type) {
    std::vector<std::string> known = {"type"};
    known.insert(known.end(), type.settings.begin(), type.settings.end());
    SensorSpec spec{std::string(type.name), {}, name};
    for (const auto& [key, node] : table) {
      if (key.str() == "type") continue;
      TRY_DO(refuse_secret(std::string(key.str()), node));
    }
    const std::string what = fmt::format("[sensor.{}] of type {}", quoted(name), type.name);
    TRY_DO(check_keys(what, table, known));
    for (const auto& [key, node] : table) {
      if (key.str() == "type") continue;
      TRY(spec.settings[std::string(key.str())], setting_text(std::string(key.str()), node));
    }
    configuration_.sensors.push_back(std::move(spec));
    return {};
  }

  Status take_node(const std::string& name, const toml::table& table) {
    const std::string what = fmt::format("[node.{}]", quoted(name));
    TRY_DO(check_keys(what, table, {"feeds", "meters"}));
    ConfiguredNode node{name, {}, {}};
    TRY(node.feeds, texts(table, what, "feeds"));
    TRY(node.meters, texts(table, what, "meters"));
    if (node.feeds.empty() && node.meters.empty()) {
      return wrong(table, fmt::format("{} lists neither feeds nor meters", what),
                   "write feeds = [\"SENSOR\", …], all that feed it");
    }
    std::vector<std::string> entries = node.feeds;
    entries.insert(entries.end(), node.meters.begin(), node.meters.end());
    std::sort(entries.begin(), entries.end());
    const auto twice = std::adjacent_find(entries.begin(), entries.end());
    if (twice != entries.end()) {
      return wrong(table, fmt::format("{} names \"{}\" twice", what, quoted(*twice)),
                   "name each feed and each meter once");
    }
    configuration_.nodes.push_back(std::move(node));
    return {};
  }

  Result<std::string> date_of(const toml::table& table, const std::string& what) const {
    if (const toml::node* node = table.get("date")) {
      if (const auto date = node->value_exact<toml::date>()) {
        return fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day);
      }
      return wrong(*node, fmt::format("date of {} is no date", what),
                   "write it as date = 2026-03-01, without quotes");
    }
    return wrong(table, fmt::format("{} lacks date", what), "add date = 2026-03-01");
  }

  Status take_calibration(const std::string& name, const toml::table& table) {
    const std::string what = fmt::format("[calibration.{}]", quoted(name));
    TRY_DO(check_keys(what, table, {"gain", "half_width", "certificate", "date", "device"}));
    TRY_DO(check_sensor(table, name));
    ConfiguredCalibration calibration{name, {}};
    Calibration& of = calibration.of.calibration;
    // A gain further off is no calibration but a mistake in the unit.
    TRY(of.gain, need_number(table, what, "gain", 0.5, 2));
    TRY(of.half_width, need_number(table, what, "half_width", 0, 0.5));
    TRY(of.certificate, need_text(table, what, "certificate"));
    TRY(of.date, date_of(table, what));
    if (table.get("device") != nullptr) {
      TRY(calibration.of.device, need_text(table, what, "device"));
    }
    configuration_.calibrations.push_back(std::move(calibration));
    return {};
  }

  Configuration configuration_;
};

/// "SENSOR:DEVICE" of a node as what it says of a sensor; nullopt where it names another one.
std::optional<NodeRole> node_role(const std::string& entry, const std::string& sensor) {
  const auto colon = entry.find(':');
  if (entry.substr(0, colon) != sensor) return std::nullopt;
  NodeRole role;
  if (colon != std::string::npos) role.device = entry.substr(colon + 1);
  return role;
}

}  // namespace

Result<Configuration> configuration_in(std::string_view text, const std::string& file) {
  try {
    const toml::table root = toml::parse(text, file);
    return Reader(file).read(root);
  } catch (const toml::parse_error& error) {
    return failure(ErrorKind::usage,
                   fmt::format("{}, line {}: {}", file, error.source().begin.line,
                               quoted(error.description(), 300)),
                   "see docs/configuration.md for an example");
  }
}

Result<Configuration> configuration_for(const std::optional<std::string>& path) {
  std::error_code unseen;
  if (!path && !std::filesystem::exists(kDefaultFile, unseen)) return Configuration();
  const std::string file = path.value_or(kDefaultFile);
  auto bytes = file_bytes(file);
  if (!bytes) return unexpected(std::move(bytes).error().in("--config"));
  TRY(Configuration configuration, configuration_in(*bytes, file));
  configuration.sha256 = sha256_hex(*bytes);
  if (!path) put_error(fmt::format("configuration: ./{}\n", kDefaultFile));
  return configuration;
}

std::vector<SensorSpec> resolved(const Configuration& configuration,
                                 const std::vector<SensorSpec>& asked) {
  if (asked.empty()) return configuration.sensors;
  std::vector<SensorSpec> specs;
  for (const SensorSpec& spec : asked) {
    const auto named =
        std::find_if(configuration.sensors.begin(), configuration.sensors.end(),
                     [&](const SensorSpec& each) { return each.label == spec.name; });
    if (named == configuration.sensors.end()) {
      specs.push_back(spec);
      continue;
    }
    specs.push_back(*named);
    for (const auto& [key, value] : spec.settings) specs.back().settings[key] = value;
  }
  return specs;
}

SensorRole role_of(const Configuration& configuration, const SensorSpec& spec) {
  SensorRole role{spec.label.empty() ? spec.name : spec.label, {}, {}};
  for (const ConfiguredNode& node : configuration.nodes) {
    for (const std::string& feed : node.feeds) {
      auto found = node_role(feed, role.name);
      if (!found) continue;
      found->node = node.name;
      found->feed = feed;
      found->feeds = fmt::format("{}", fmt::join(node.feeds, ", "));
      role.nodes.push_back(std::move(*found));
    }
    for (const std::string& meter : node.meters) {
      auto found = node_role(meter, role.name);
      if (!found) continue;
      found->node = node.name;
      role.nodes.push_back(std::move(*found));
    }
  }
  for (const ConfiguredCalibration& calibration : configuration.calibrations) {
    if (calibration.sensor == role.name) role.calibrations.push_back(calibration.of);
  }
  return role;
}

}  // namespace tokenjoule
