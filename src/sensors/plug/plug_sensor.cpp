#include "sensors/plug/plug_sensor.hpp"

#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/http_client.hpp"
#include "model/containment.hpp"
#include "sensors/pace.hpp"
#include "sensors/plug/plug_page.hpp"
#include "sensors/secret_setting.hpp"
#include "sensors/setting_values.hpp"

namespace tokenjoule {
namespace {

constexpr char kUrlHint[] = "say where it is: --sensor plug:url=http://HOST (Shelly or Tasmota)";

struct PlugSettings {
  Url url;
  int outlet = 0;
  Nanoseconds timeout;
  Nanoseconds period;
  Boundary boundary = Boundary::node_ac;
  std::string device;
  std::string group;
};

Result<Url> url_of(const SensorSpec& spec) {
  TRY(Url url, url_in(text_setting(spec, "url")));
  if (!url.user_info.empty() || !url.path.empty()) {
    return failure(ErrorKind::usage, "the sensor plug: its url has more than scheme, host and port",
                   "leave the path out, and give user=NAME and password_file=FILE");
  }
  const std::string user = text_setting(spec, "user");
  TRY(const auto password, secret_setting(spec, "password"));
  if (user.empty() != !password) {
    return failure(ErrorKind::usage, "the sensor plug: user and password belong together",
                   "give user=NAME and password_file=FILE or password_env=VARIABLE");
  }
  if (password) url.user_info = user_info_of(user, *password);
  return url;
}

Result<PlugSettings> settings_in(const SensorSpec& spec) {
  constexpr Boundary kAllowed[] = {Boundary::node_ac, Boundary::node_dc, Boundary::rack};
  PlugSettings settings;
  TRY(settings.url, url_of(spec));
  TRY(settings.outlet, number_setting(spec, "outlet", 0, 63));
  TRY(settings.timeout, duration_setting(spec, "timeout", whole_seconds(2), milliseconds(100)));
  TRY(settings.period, duration_setting(spec, "period", whole_seconds(1), milliseconds(200)));
  TRY(settings.boundary, boundary_setting(spec, Boundary::node_ac, kAllowed));
  settings.device = text_setting(spec, "device");
  settings.group = text_setting(spec, "group");
  return settings;
}

/// "AA:BB" and "aabb" are one plug.
std::string plain_mac(std::string_view mac) {
  std::string plain = lower_case(mac);
  std::erase(plain, ':');
  return plain;
}

class PlugSensor final : public Sensor {
 public:
  explicit PlugSensor(PlugSettings settings)
      : settings_(std::move(settings)),
        client_({.timeout = to_seconds(settings_.timeout), .body_limit = 1 << 20}),
        pace_(settings_.period) {}

  Status open() {
    TRY_DO(identify());
    TRY(const JsonDocument page, page_at(path_));
    const PlugValues values = plug_values(kind_, settings_.outlet, page.root());
    if (!values.power_w && !values.energy) {
      return failure(ErrorKind::missing,
                     fmt::format("{} ({}) tells no power and no energy of outlet {}",
                                 settings_.url.text(), facts_of(kind_).name, settings_.outlet),
                     "choose another one with outlet=N, or use a plug with a meter");
    }
    counting_since_ = values.counting_since;
    if (values.power_w) power_ = add_signal(Measurand::power);
    if (values.energy) energy_ = add_signal(Measurand::energy);
    contents_.devices.push_back({.id = device_,
                                 .name = std::string(facts_of(kind_).name),
                                 .kind = DeviceKind::node,
                                 .label = settings_.url.host,
                                 .group = settings_.group});
    contents_.devices.back().facts[kOutletFact] = std::to_string(settings_.outlet);
    return {};
  }

  const SensorContents& contents() const override { return contents_; }
  bool keeps_own_pace() const override { return true; }
  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

  Result<Sample> poll(Clock& clock) override {
    if (!pace_.wait_for_slot(clock)) {
      return Sample{.read = {clock.now(), clock.now()}, .readings = {}};
    }
    const MonoTime before = clock.now();
    auto page = page_at(path_);
    const TimeSpan read{before, clock.now()};
    if (!page) return failure(ErrorKind::retry, page.error().message, page.error().hint);
    const PlugValues values = plug_values(kind_, settings_.outlet, page->root());
    watch_counter(values, read);
    Sample sample{.read = read, .readings = {}};
    add(sample, power_, values.power_w, "power");
    if (!restarted_) add(sample, energy_, values.energy, "energy");
    return sample;
  }

 private:
  Result<JsonDocument> page_at(const std::string& path) {
    Url url = settings_.url;
    url.path = path;
    TRY(const HttpReply reply, client_.get(url));
    if (reply.status == 401) {
      return failure(
          ErrorKind::missing,
          fmt::format("{} wants a user and a password that it knows", settings_.url.text()),
          "give user=NAME and password_file=FILE; a Shelly of generation 2 or later takes "
          "digest authentication only, which must be switched off there");
    }
    if (reply.status != 200) {
      return failure(ErrorKind::missing, fmt::format("{} {}", url.text(), status_words(reply)),
                     kUrlHint);
    }
    auto document = JsonDocument::parse(reply.body);
    if (document) return document;
    return failure(ErrorKind::missing, fmt::format("{}: {}", url.text(), document.error().message),
                   kUrlHint);
  }

  /// Which kind it is, and by what it is known.
  Status identify() {
    std::string mac;
    auto shelly = page_at("/shelly");
    const auto kind = shelly ? shelly_kind(shelly->root()) : std::nullopt;
    if (kind) {
      kind_ = *kind;
      mac = plain_mac(shelly->root()["mac"].string().value_or(""));
    } else {
      const auto tasmota = page_at("/cm?cmnd=Status%205");
      if (!tasmota || !tasmota->root()["StatusNET"].present()) {
        return shelly ? Status(failure(ErrorKind::missing,
                                       settings_.url.text() + " is no Shelly and no Tasmota",
                                       kUrlHint))
                      : Status(unexpected(shelly.error()));
      }
      kind_ = PlugKind::tasmota;
      mac = plain_mac(tasmota->root()["StatusNET"]["Mac"].string().value_or(""));
    }
    path_ = fmt::format(fmt::runtime(facts_of(kind_).page), settings_.outlet);
    device_ = settings_.device;
    if (device_.empty()) {
      device_ = fmt::format("plug:{}/{}", mac.empty() ? settings_.url.authority() : mac,
                            settings_.outlet);
    }
    return {};
  }

  std::uint32_t add_signal(Measurand measurand) {
    const PlugKindFacts& facts = facts_of(kind_);
    const bool energy = measurand == Measurand::energy;
    const auto id = static_cast<std::uint32_t>(contents_.signals.size());
    contents_.signals.push_back(
        {.id = id,
         .sensor = "plug",
         .device = device_,
         .measurand = measurand,
         .kind = energy ? SignalKind::counter : SignalKind::gauge,
         .boundary = settings_.boundary,
         .source = std::string(energy ? facts.energy_source : facts.power_source),
         .raw_unit = std::string(energy ? facts.energy_unit : "W"),
         .to_si = energy ? facts.joules_per_unit : 1.0,
         .period = to_seconds(settings_.period)});
    return id;
  }

  void add(Sample& sample, std::optional<std::uint32_t> signal, std::optional<double> value,
           const char* what) {
    if (!signal) return;
    if (value) {
      sample.readings.push_back({*signal, *value});
    } else {
      lose(sample.read, fmt::format("the plug gives no {}", what));
    }
  }

  /// A counter that was started anew may stand higher than before at the next look: from then on it
  /// tells nothing about this run.
  void watch_counter(const PlugValues& values, TimeSpan read) {
    const bool rebooted = values.uptime_s && uptime_s_ && *values.uptime_s < *uptime_s_;
    const bool reset = !values.counting_since.empty() && values.counting_since != counting_since_;
    if (values.uptime_s) uptime_s_ = values.uptime_s;
    if (restarted_ || !(rebooted || reset)) return;
    restarted_ = true;
    lose(read, "the plug's counter was started anew: its energy is not read any more");
  }

  void lose(TimeSpan read, std::string reason) {
    losses_.push_back({.span = read, .what = "reading", .source = "", .reason = std::move(reason)});
  }

  PlugSettings settings_;
  HttpClient client_;
  Pace pace_;
  PlugKind kind_ = PlugKind::tasmota;
  std::string path_;
  std::string device_;
  SensorContents contents_;
  std::optional<std::uint32_t> power_;  ///< their signals
  std::optional<std::uint32_t> energy_;
  std::optional<double> uptime_s_;
  std::string counting_since_;
  bool restarted_ = false;
  std::vector<Loss> losses_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_plug(const SensorSpec& spec, Clock&) {
  TRY(PlugSettings settings, settings_in(spec));
  auto sensor = std::make_unique<PlugSensor>(std::move(settings));
  TRY_DO(sensor->open());
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
