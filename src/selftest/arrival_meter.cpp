#include "selftest/arrival_meter.hpp"

#include "load/block_decoder.hpp"
#include "load/client_meter.hpp"

namespace tokenjoule {

namespace {

Nanoseconds magnitude(Nanoseconds span) { return {span.count < 0 ? -span.count : span.count}; }

}  // namespace

void ArrivalMeter::count_read(const StampedRead& read, std::size_t events) {
  LoopTotals one;
  one.add_read(read.lag);
  state_.reads += one.reads;
  state_.reads_late += one.reads_late;
  if (events > 1 && read.spread > BlockDecoder::kLate) ++state_.reads_coalesced;
  ++state_.lag_histogram[time_bucket(read.lag)];
}

void ArrivalMeter::add(const StampedRead& read, std::span<const MonoTime> sent,
                       const std::optional<TimeSpan>& window) {
  const MonoTime own = read.at + read.lag;
  const bool counts = window && window->contains(own);
  if (counts) count_read(read, sent.size());
  std::optional<Event>& last = last_[read.stream];
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const bool censored = sent.size() > 1 && read.spread > BlockDecoder::kLate;
    if (counts) {
      delays_.add(own - sent[i]);
      receive_delays_.add(read.at - sent[i]);
      if (censored) ++censored_;
      if (last && !censored) {
        itl_errors_.add(magnitude((read.at - last->at) - (sent[i] - last->sent)));
      }
    }
    last = Event{read.at, sent[i]};
  }
}

}  // namespace tokenjoule
