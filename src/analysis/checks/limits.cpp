#include <cmath>

#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/device_state.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

void check_change(const Facts& facts, const Device& device, TimeSpan window, Gathered& changed) {
  const auto range = enforced_limit_in(facts.run, facts.series, device, window);
  if (!range || range->highest - range->lowest <= thresholds::kLimitRounding) return;
  changed.add(Severity::care,
              fmt::format("the power limit of {} moved between {:.0f} W and {:.0f} W", device.id,
                          range->lowest.value(), range->highest.value()));
}

void check_expectation(const Facts& facts, const Device& device, TimeSpan window,
                       Gathered& unexpected_limit) {
  const auto expected = facts.settings.expected_power_limit;
  if (!expected) return;
  const auto limit = state_of_device(facts.run, facts.series, device, window).limits_after.enforced;
  if (!limit) {
    unexpected_limit.add(Severity::care, fmt::format("the power limit of {} cannot be read: {:.0f} "
                                                     "W was expected",
                                                     device.id, expected->value()));
  } else if (std::abs((*limit - *expected).value()) > thresholds::kLimitRounding.value()) {
    unexpected_limit.add(Severity::care,
                         fmt::format("the power limit of {} is {:.0f} W: {:.0f} W was expected",
                                     device.id, limit->value(), expected->value()));
  }
}

void check_held_back(const Facts& facts, const Device& device, TimeSpan window, Gathered& throttled,
                     Gathered& capped) {
  const Seconds least = thresholds::kThrottledShare * to_seconds(window.length());
  const auto time = [&](Measurand measurand) {
    return time_counted_in(facts.run, facts.series, device, measurand, window).value_or(Seconds());
  };
  const Seconds hot = time(Measurand::throttled_time);
  if (hot > least) {
    throttled.add(Severity::care,
                  fmt::format("{} was slowed down for {:.2f} s", device.id, hot.value()));
  }
  const Seconds held = time(Measurand::power_capped_time);
  if (held > least) {
    capped.add(Severity::note, fmt::format("{} was held back by its power limit for {:.2f} s",
                                           device.id, held.value()));
  }
}

}  // namespace

void check_limits(const Facts& facts, std::vector<CheckFinding>& findings) {
  if (!facts.window.span) return;
  Gathered changed("limit_changed", "measure again with a limit that stays");
  Gathered unexpected_limit("limit_unexpected",
                            "set the limit (nvidia-smi -pl), or expect another "
                            "one: --expect-power-limit");
  Gathered throttled("throttled", "see to the cooling: the figure is that of a hot machine");
  Gathered capped("power_capped", "the limit is a part of the operating point: state it");
  for (const Device* device : distinct_devices(facts.run)) {
    if (!device->chosen || device->kind != DeviceKind::gpu) continue;
    check_change(facts, *device, *facts.window.span, changed);
    check_expectation(facts, *device, *facts.window.span, unexpected_limit);
    check_held_back(facts, *device, *facts.window.span, throttled, capped);
  }
  changed.append_to(findings);
  unexpected_limit.append_to(findings);
  throttled.append_to(findings);
  capped.append_to(findings);
}

}  // namespace tokenjoule
