#include "app/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tokenjoule {

namespace {

constexpr Nanoseconds kTerminalPeriod = milliseconds(500);
constexpr Nanoseconds kPlainPeriod = whole_seconds(5);

}  // namespace

std::string progress_line(const ProgressView& view, std::optional<double> events_per_second) {
  std::string line = fmt::format("{:<8}", view.phase);
  if (view.time_left)
    line += fmt::format(" {:4.0f} s left", std::max(0.0, view.time_left->value()));
  if (view.load) {
    line += fmt::format("  {} sent, {} completed, {} failed, {} running", view.load->sent,
                        view.load->completed, view.load->failed, view.load->in_flight);
  }
  if (events_per_second) line += fmt::format("  {:.0f} events/s", *events_per_second);
  line += view.power ? fmt::format("  {:.0f} W", view.power->value()) : "  n/a W";
  return line;
}

Progress::Progress(ProgressStyle style, std::string title)
    : rewrites_(style == ProgressStyle::automatic && isatty(STDERR_FILENO) != 0),
      silent_(style == ProgressStyle::none),
      title_(std::move(title)) {}

Progress::~Progress() {
  if (rewrites_ && shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(const ProgressView& view, MonoTime now) {
  if (silent_) return;
  const bool new_phase = view.phase != phase_;
  const Nanoseconds period = rewrites_ ? kTerminalPeriod : kPlainPeriod;
  if (shown_ && !new_phase && now - *shown_ < period) return;
  if (const double elapsed = to_seconds(now - rate_at_).value(); view.load && elapsed >= 0.4) {
    rate_ = static_cast<double>(view.load->events - rate_events_) / elapsed;
    rate_at_ = now;
    rate_events_ = view.load->events;
  }
  phase_ = view.phase;
  std::string line = title_ + progress_line(view, rate_);
  winsize size{};
  if (rewrites_ && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) {
    line.resize(std::min<std::size_t>(line.size(),
                                      size.ws_col - 1U));  // a wrapped line cannot be rewritten
  }
  std::fputs(rewrites_ ? fmt::format("\r\x1b[K{}", line).c_str() : (line + '\n').c_str(), stderr);
  std::fflush(stderr);
  shown_ = now;
}

}  // namespace tokenjoule
