#pragma once

#include "base/quantity.hpp"
#include "base/time.hpp"

/// Where a check changes its mind. Each stands in docs/checks.md beside its code.
namespace tokenjoule::thresholds {

// sensors_disagree: r = integrated power / counter.
constexpr double kAgreeLow = 0.95;
constexpr double kAgreeHigh = 1.05;
constexpr double kFactorLow = 0.5;
constexpr double kFactorHigh = 2.0;

constexpr double kFrozenSteps = 3.0;  ///< counter_frozen: flat for longer than this many steps
/// counter_frozen: so many equal readings of power while the counter stands still are no power
/// that flows but a reading that stands still as well. Drivers give milliwatts, which never rest.
constexpr int kEqualReadings = 20;
// A page that is refreshed more slowly than it is polled (methods.md, M7).
constexpr double kRepeatsFromPolls = 1.5;  ///< the counter's step, in poll periods
constexpr double kStaleFromPolls = 3.0;    ///< without a counter: time between changes of power
constexpr double kChangesOffSteps = 0.1;   ///< changes of power off the counter's steps / all

constexpr double kCoarseShare = 0.1;        ///< counter_coarse: step / window, care
constexpr double kCoarseShareSpoils = 0.5;  ///< counter_coarse: step / window, unusable
constexpr double kImplausibleFactor = 1.5;  ///< implausible_power: power / limit
/// implausible_power where no limit is read: no board draws so much (the largest of 2026 are rated
/// at 1400 W), nor a socket, a superchip or a machine; and none under load draws less than 1 W.
constexpr double kMostBoardWatts = 3000;
constexpr double kMostModuleWatts = 6000;
constexpr double kMostSocketWatts = 3000;
constexpr double kMostNodeWatts = 200'000;
constexpr double kLeastWatts = 1;

constexpr double kGapPeriods = 3.0;      ///< sensor_gap: in planned periods
constexpr Seconds kGapLongest(3.0);      ///< sensor_gap: whatever the period
constexpr double kGapShareSpoils = 0.1;  ///< sensor_gap: gap / window, unusable

/// Limits are whole watts or milliwatts, and drivers round: closer than this is equal.
constexpr Watts kLimitRounding(0.5);
constexpr double kThrottledShare = 0.01;  ///< throttled and power_capped: time / window

constexpr double kLoadedRise = 1.10;  ///< gpu_not_loaded: power under load / idle power
// not_idle: the halves of the idle phase differ by more than both of these.
constexpr double kIdleDriftShare = 0.10;
constexpr Watts kIdleDrift(5.0);

constexpr double kPromptLengthOff = 0.10;  ///< prompt_length_differs: usage against asked
constexpr double kTokensOff = 0.01;        ///< tokens_disagree and foreign_traffic: care
constexpr double kTokensOffSpoils = 0.10;  ///< tokens_disagree and foreign_traffic: unusable
/// tokens_disagree: usage above so many tokens for each event, and each token asked for, is no
/// count.
constexpr double kMostTokensOfAnEvent = 64;
constexpr double kCacheHits = 0.01;    ///< prompt_cache_hits: cached / submitted
constexpr double kContextRoom = 1.25;  ///< context_tuned: max_model_len / longest request

constexpr double kFailures = 0.05;     ///< failures: failed / all, care
constexpr int kLostFailures = 3;       ///< engine_lost: requests that nobody answered
constexpr Seconds kWindowShort(20.0);  ///< window_too_short: care
constexpr int kStepsFew = 10;          ///< window_too_short: steps or readings, care
constexpr int kStepsTooFew = 2;        ///< window_too_short: steps or readings, unusable

constexpr double kLateReads = 0.02;        ///< client_limited: reads that lag > 5 ms
constexpr double kLateReadsSpoil = 0.10;   ///< client_limited: unusable
constexpr double kCoalescedReads = 0.005;  ///< client_limited: reads coalesced while lagging
constexpr Seconds kSendLateness(0.001);    ///< client_limited: p99
constexpr Seconds kStreamWait(0.001);      ///< concurrency_capped: p99
constexpr double kNeverSent = 0.01;        ///< concurrency_capped: of the planned requests
constexpr double kQueueFull = 0.001;  ///< client_limited: time the block queue was full / window

constexpr Nanoseconds kClockStep = milliseconds(10);  ///< clock_step

/// An interrupted run ends where its sensors still had a reading beyond the edge; further back than
/// this, a sensor was lost and that is said instead.
constexpr Nanoseconds kInterruptedTail = whole_seconds(5);

}  // namespace tokenjoule::thresholds
