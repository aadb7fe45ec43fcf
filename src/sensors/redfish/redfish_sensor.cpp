#include "sensors/redfish/redfish_sensor.hpp"

#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "sensors/pace.hpp"
#include "sensors/redfish/redfish_client.hpp"
#include "sensors/redfish/redfish_meters.hpp"
#include "sensors/secret_setting.hpp"
#include "sensors/setting_values.hpp"

namespace tokenjoule {
namespace {

struct RedfishSettings {
  RedfishAccess access;
  RedfishWish wish;
  Nanoseconds period;
  std::string group;
};

tl::unexpected<Error> bad(std::string message, std::string hint) {
  return failure(ErrorKind::usage, "the sensor redfish: " + message, std::move(hint));
}

Result<Url> base_url(const SensorSpec& spec) {
  const std::string text = text_setting(spec, "url");
  // What is done about certificates hangs on the scheme: none is taken for granted.
  if (text.find("://") == std::string::npos) {
    return bad(fmt::format("its url {} has no scheme", quoted(text)), "write url=https://HOST");
  }
  TRY(Url url, url_in(text));
  if (!url.user_info.empty()) {
    return bad("its url holds a user", "give user=NAME and password_file=FILE instead");
  }
  if (!url.path.empty() && !starts_with(url.path, "/redfish")) {
    return bad(fmt::format("its url has the path {}", quoted(url.path)),
               "give scheme, host and port only");
  }
  url.path.clear();
  return url;
}

Status take_login(const SensorSpec& spec, RedfishAccess& access) {
  access.user = text_setting(spec, "user");
  TRY(const auto password, secret_setting(spec, "password"));
  if (access.user.empty() != !password) {
    return bad("user and password belong together",
               "give user=NAME and password_file=FILE or password_env=VARIABLE");
  }
  const std::string auth = text_setting(spec, "auth", "session");
  if (auth != "session" && auth != "basic") {
    return bad(fmt::format("auth={} is not known", quoted(auth)), "it may be session or basic");
  }
  if (access.user.empty()) return {};
  access.password = *password;
  access.login = auth == "basic" ? RedfishAccess::Login::basic : RedfishAccess::Login::session;
  if (access.base.scheme == "https" || access.tls.verification == TlsOptions::Verification::none) {
    return {};
  }
  return bad("over http anybody on the way reads the password",
             "give an https url, or insecure=yes");
}

Result<RedfishWish::Source> source_in(const SensorSpec& spec) {
  const std::string source = text_setting(spec, "source");
  if (source.empty()) return RedfishWish::Source::best;
  if (source == "chassis") return RedfishWish::Source::chassis;
  if (source == "supplies") return RedfishWish::Source::supplies;
  return bad(fmt::format("source={} is not known", quoted(source)),
             "it may be chassis or supplies; without it the chassis is read where it tells power");
}

Result<RedfishSettings> settings_in(const SensorSpec& spec) {
  constexpr Boundary kAllowed[] = {Boundary::node_ac, Boundary::node_dc, Boundary::rack};
  RedfishSettings settings;
  TRY(settings.access.base, base_url(spec));
  TRY(settings.access.tls, tls_settings(spec));
  TRY_DO(take_login(spec, settings.access));
  TRY(const Nanoseconds timeout,
      duration_setting(spec, "timeout", whole_seconds(10), milliseconds(100)));
  settings.access.timeout = to_seconds(timeout);
  TRY(settings.period, duration_setting(spec, "period", whole_seconds(2), whole_seconds(1)));
  TRY(settings.wish.source, source_in(spec));
  if (!text_setting(spec, "boundary").empty()) {
    TRY(settings.wish.boundary, boundary_setting(spec, Boundary::node_ac, kAllowed));
  }
  settings.wish.chassis = text_setting(spec, "chassis");
  settings.wish.device = text_setting(spec, "device");
  settings.wish.host = settings.access.base.authority();
  settings.group = text_setting(spec, "group");
  return settings;
}

class RedfishSensor final : public Sensor {
 public:
  explicit RedfishSensor(RedfishSettings settings)
      : settings_(std::move(settings)),
        client_(std::move(settings_.access)),
        pace_(settings_.period) {}

  Status open() {
    const auto page_at = [&](const std::string& path) { return client_.get(path); };
    auto node = redfish_node(page_at, settings_.wish);
    if (!node) {
      Error error = std::move(node).error();
      if (error.kind == ErrorKind::unavailable) error.kind = ErrorKind::missing;
      return unexpected(std::move(error).in(client_.base().text()));
    }
    meters_ = std::move(node->meters);
    contents_.devices = std::move(node->devices);
    for (Device& device : contents_.devices) device.group = settings_.group;
    for (RedfishMeter& meter : meters_) {
      meter.signal.id = static_cast<std::uint32_t>(contents_.signals.size());
      meter.signal.period = to_seconds(settings_.period);
      contents_.signals.push_back(meter.signal);
      if (pages_.empty() || pages_.back() != meter.page) pages_.push_back(meter.page);
    }
    return {};
  }

  const SensorContents& contents() const override { return contents_; }
  bool keeps_own_pace() const override { return true; }
  bool has_more() const override { return next_page_ > 0; }
  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

  /// One page a poll, so that each has its own time, however slow the controller is.
  Result<Sample> poll(Clock& clock) override {
    if (next_page_ == 0 && !pace_.wait_for_slot(clock)) {
      return Sample{.read = {clock.now(), clock.now()}, .readings = {}};
    }
    const std::string& path = pages_[next_page_];
    next_page_ = (next_page_ + 1) % pages_.size();
    const MonoTime before = clock.now();
    auto page = client_.get(path);
    const TimeSpan read{before, clock.now()};
    if (page) return sample_of(path, page->root(), read);
    next_page_ = 0;  // the others of this round would most likely fail alike
    Error error = std::move(page).error();
    if (error.kind != ErrorKind::unavailable) error.kind = ErrorKind::retry;
    return unexpected(std::move(error));
  }

 private:
  Sample sample_of(const std::string& path, const JsonView& page, TimeSpan read) {
    Sample sample{.read = read, .readings = {}};
    for (const RedfishMeter& meter : meters_) {
      if (meter.page != path) continue;
      if (const auto value = redfish_value(page, meter)) {
        sample.readings.push_back({meter.signal.id, *value});
        continue;
      }
      losses_.push_back({.span = read,
                         .what = "reading",
                         .source = "",
                         .reason = fmt::format("{} has no {}: it is null, missing, below zero, or "
                                               "not what it was",
                                               path, meter.pointer)});
    }
    return sample;
  }

  RedfishSettings settings_;
  RedfishClient client_;
  Pace pace_;
  SensorContents contents_;
  std::vector<RedfishMeter> meters_;
  std::vector<std::string> pages_;
  std::size_t next_page_ = 0;
  std::vector<Loss> losses_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_redfish(const SensorSpec& spec, Clock&) {
  TRY(RedfishSettings settings, settings_in(spec));
  auto sensor = std::make_unique<RedfishSensor>(std::move(settings));
  TRY_DO(sensor->open());
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
