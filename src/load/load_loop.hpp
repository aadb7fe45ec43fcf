#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/clock.hpp"
#include "load/block_decoder.hpp"
#include "load/block_queue.hpp"
#include "load/client_meter.hpp"
#include "load/load_counters.hpp"
#include "load/request_source.hpp"
#include "load/stream.hpp"
#include "load/wall_offset.hpp"

namespace tokenjoule {

/// What the controlling thread asks of all loops.
struct LoadControl {
  enum class Sending { not_yet, warmup, measured, stopped };
  std::atomic<Sending> sending{Sending::not_yet};
  std::atomic<bool> cancel{false};
  std::atomic<bool> quit{false};
};

/// What a loop works with; all of it outlives the loop.
struct LoopParts {
  SystemClock& clock;
  RequestSource& source;
  LoadControl& control;
  LoadCounters& counters;
  BlockQueue& blocks;
  const AnswerFailures& failures;  ///< of this loop's streams, as its decoder sees them
  PublishedTotals& totals;
  EventSink losses;
  Nanoseconds request_timeout;
  std::uint64_t numbered = 0;  ///< num_requests: measured requests below this are counted apart
  std::function<void(MonoTime)> each_round = {};  ///< as in LoadProbe
};

/// The hot path: one thread's event loop over its own streams. Sends, reads, stamps; understands
/// HTTP framing, but neither events nor JSON: stamped bytes go to the decoder.
class LoadLoop {
 public:
  /// @param targets of each stream: as many streams as targets. They outlive the loop.
  LoadLoop(LoopParts parts, const std::vector<const Target*>& targets);
  LoadLoop(const LoadLoop&) = delete;
  LoadLoop& operator=(const LoadLoop&) = delete;
  ~LoadLoop();

  /// Until LoadControl::quit.
  void run();
  /// Makes the loop look at LoadControl; from any thread.
  void wake() const;
  /// What the loop obeys: behind `stopped` it takes no request any more. From any thread.
  LoadControl::Sending obeyed() const { return obeyed_.load(std::memory_order_acquire); }

 private:
  /// A burst of thousands would overflow the server's queue of new connections, which costs a
  /// second.
  static constexpr std::size_t kMostConnecting = 256;

  /// When bytes came, and how long after that the program had them.
  struct Arrival {
    MonoTime at;
    Nanoseconds lag;
  };

  // load_loop.cpp: the loop itself
  void round(int timeout_ms);
  int longest_sleep_ms() const;
  void obey();
  void cancel_all();
  void keep_house();
  void sample_clocks();
  void publish();
  void publish_now();
  void wait_for_room();

  // stream_requests.cpp: from one request to the next
  void want_request(Stream& stream, MonoTime planned);
  void want_connection(Stream& stream);
  void open_connection(Stream& stream);
  void connected(Stream& stream);
  void connection_failed(Stream& stream, const std::string& failure);
  bool take_request(Stream& stream);
  void begin_exchange(Stream& stream);
  void send_rest(Stream& stream);
  void count_sent(Stream& stream);
  void exchange_broken(Stream& stream, const std::string& failure);
  void exchange_timed_out(Stream& stream);
  void finish(Stream& stream, AnswerEnd how, const std::string& failure, MonoTime at);
  void pause(Stream& stream, MonoTime until);
  void drop_connection(Stream& stream);
  void watch(Stream& stream, bool write);
  void set_state(Stream& stream, Stream::State state);

  // stream_answers.cpp: from bytes to blocks
  void ready(Stream& stream, std::uint32_t epoll_events);
  void readable(Stream& stream);
  Arrival arrival_of(const Transfer& transfer, MonoTime own);
  void take_bytes(Stream& stream, std::size_t count, const Arrival& arrival);
  void take_pieces(Stream& stream, const Arrival& arrival);
  void peer_closed(Stream& stream, MonoTime at);
  void answered(Stream& stream, MonoTime at);
  void answer_accepted(Stream& stream, MonoTime at);

  LoopParts parts_;
  std::vector<Stream> streams_;
  std::deque<std::uint32_t> queued_;
  std::size_t connecting_ = 0;
  std::size_t waiting_ = 0;
  int epoll_ = -1;
  int wake_ = -1;
  std::vector<char> buffer_;  ///< head-room, then what a read brings; shared by all streams
  std::atomic<LoadControl::Sending> obeyed_{LoadControl::Sending::not_yet};
  bool cancelled_ = false;
  WallOffset offset_;
  MonoTime round_begin_;
  MonoTime sampled_;
  MonoTime published_;
  MonoTime house_kept_;
  LoopTotals totals_;
  std::unique_ptr<ThreadTimes> thread_;
};

}  // namespace tokenjoule
