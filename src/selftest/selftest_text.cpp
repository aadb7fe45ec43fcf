#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "selftest/selftest.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

double us(Nanoseconds span) { return static_cast<double>(span.count) * 1e-3; }

/// Microseconds, "n/a" where unknown.
std::string us_text(const std::optional<Nanoseconds>& span) {
  if (!span) return "n/a";
  const double value = us(*span);
  return value < 10 ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value);
}

std::string both_text(const Percentiles& percentiles) {
  return us_text(percentiles.p50) + " / " + us_text(percentiles.p99);
}

std::string number_text(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "n/a";
}

Json us_json(const Percentiles& percentiles) {
  const auto value = [](const std::optional<Nanoseconds>& span) {
    return span ? Json(us(*span)) : Json(nullptr);
  };
  return {{"p50", value(percentiles.p50)}, {"p99", value(percentiles.p99)}};
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json point_json(const SelfTestPoint& point) {
  Json limited = {{"limited", !point.client_limited.empty()}};
  limited["reason"] = point.client_limited.empty() ? Json(nullptr) : Json(point.client_limited);
  return {{"streams", point.load.streams},
          {"rate_per_stream", point.load.rate},
          {"events_per_s", point.events_per_s},
          {"loop_cpu_us_per_event", or_null(point.loop_cpu_us_per_event)},
          {"bare_loop_cpu_us_per_event", or_null(point.bare_loop_cpu_us_per_event)},
          {"stamp_delay_us", us_json(point.stamp_delay)},
          {"receive_delay_us", us_json(point.receive_delay)},
          {"bare_stamp_delay_us", us_json(point.bare_stamp_delay)},
          {"itl_error_us", us_json(point.itl_error)},
          {"stamps", point.stamps},
          {"lost", point.lost},
          {"bare_lost", point.bare_lost},
          {"censored", point.censored},
          {"sent_late", point.late_sent},
          {"memory_mb", or_null(point.memory_mb)},
          {"connecting_s", point.connecting.value()},
          {"client_limited", limited},
          {"run_queue_wait_share", point.run_queue_wait}};
}

std::string cpus_text(const CpuChoice& cpus) {
  if (!cpus.separate()) return "emitter and client share one CPU";
  return fmt::format("emitter on CPU {}, client on CPU {}", *cpus.emitter, *cpus.client);
}

std::string row(const SelfTestPoint& point) {
  return fmt::format("{:>8}{:>8g}{:>11.0f}{:>9}{:>7}{:>16}{:>16}{:>14}{:>7}{:>8}{:>8}{:>9.2f} %\n",
                     point.load.streams, point.load.rate, point.events_per_s,
                     number_text(point.loop_cpu_us_per_event, 2),
                     number_text(point.bare_loop_cpu_us_per_event, 2), both_text(point.stamp_delay),
                     both_text(point.bare_stamp_delay), both_text(point.itl_error), point.lost,
                     number_text(point.memory_mb, 1),
                     fmt::format("{:.2f}", point.connecting.value()), 100 * point.run_queue_wait);
}

}  // namespace

std::vector<std::string> warnings_of(const SelfTestResult& result) {
  std::vector<std::string> warnings;
  if (!result.cpus.separate()) {
    warnings.emplace_back(
        "one CPU for emitter and client: these figures cannot be compared with "
        "those of another machine");
  }
  for (const SelfTestPoint& point : result.points) {
    const auto warn = [&](const std::string& what) {
      warnings.push_back(fmt::format("{} streams: {}", point.load.streams, what));
    };
    if (point.run_queue_wait > kQuietRunQueueWait) {
      warn(
          fmt::format("the machine is not quiet: other programs had the CPU for {:.1f} % of the "
                      "time (run-queue wait; up to {:g} % is quiet)",
                      100 * point.run_queue_wait, 100 * kQuietRunQueueWait));
    }
    const double due = point.load.rate * point.load.streams * point.window.value();
    if (static_cast<double>(point.late_sent) > 0.01 * due) {
      warn(fmt::format("the emitter is the limit: {} events were sent more than 1 ms late",
                       point.late_sent));
    }
    if (point.stamps != "kernel") {
      warn("no kernel receive stamps came: errors are those of the client's own stamps");
    }
    if (point.lost != 0) warn(fmt::format("{} events were lost", point.lost));
    if (!point.client_limited.empty()) {
      warn(fmt::format("client_limited: {}", point.client_limited));
    }
  }
  return warnings;
}

std::string selftest_table(const SelfTestResult& result) {
  std::string text = fmt::format(
      "Load client against a raw emitter: {}; {:g} s each\n"
      "loopback; a network card adds tens of microseconds\n\n",
      cpus_text(result.cpus), result.window.value());
  text += fmt::format("{:>8}{:>8}{:>11}{:>9}{:>7}{:>16}{:>16}{:>14}{:>7}{:>8}{:>8}{:>11}\n",
                      "streams", "each/s", "events/s", "CPU us/ev", "bare", "delay us 50/99",
                      "bare 50/99", "ITL error us", "lost", "MB", "start s", "not quiet");
  for (const SelfTestPoint& point : result.points) text += row(point);
  text +=
      "\nCPU: of the load thread, and of a bare epoll + recvmsg loop. Delay: own stamp - send "
      "time. "
      "ITL error: by receive stamps,\nagainst the emitter's send times. MB: growth of the "
      "process.\n";
  if (result.unpaced) {
    text += fmt::format(
        "Unpaced, per second of CPU: {:.2f} M events read, {:.2f} M events read and decoded "
        "({:.2f} M per second of time); {:.2f} M by the bare loop\n",
        result.unpaced->events_per_s * 1e-6, result.unpaced->decoded_events_per_s * 1e-6,
        result.unpaced->wall_events_per_s * 1e-6, result.unpaced->bare_events_per_s * 1e-6);
  }
  return text;
}

std::string selftest_json(const SelfTestResult& result) {
  Json json = {{"network", "loopback; a network card adds tens of microseconds"}};
  json["emitter_cpu"] = or_null(result.cpus.emitter);
  json["client_cpu"] = or_null(result.cpus.client);
  json["comparable"] = result.cpus.separate();
  json["window_s"] = result.window.value();
  if (result.stall) {
    json["stall"] = {{"length_s", to_seconds(result.stall->length).value()},
                     {"period_s", to_seconds(result.stall->period).value()}};
  } else {
    json["stall"] = nullptr;
  }
  json["points"] = Json::array();
  for (const SelfTestPoint& point : result.points) json["points"].push_back(point_json(point));
  json["unpaced_events_per_s"] = nullptr;
  json["decoded_events_per_s"] = nullptr;
  if (result.unpaced) {
    json["unpaced_events_per_s"] = result.unpaced->events_per_s;
    json["decoded_events_per_s"] = result.unpaced->decoded_events_per_s;
    json["unpaced_wall_events_per_s"] = result.unpaced->wall_events_per_s;
    json["unpaced_bare_events_per_s"] = result.unpaced->bare_events_per_s;
    json["unpaced_lost"] = result.unpaced->lost;
  }
  json["warnings"] = warnings_of(result);
  return json.dump(2) + '\n';
}

}  // namespace tokenjoule
