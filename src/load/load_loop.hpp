#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include "io/clock.hpp"
#include "load/block_decoder.hpp"
#include "load/block_queue.hpp"
#include "load/client_meter.hpp"
#include "load/harvest_times.hpp"
#include "load/load_counters.hpp"
#include "load/request_source.hpp"
#include "load/shapes/arrival_queue.hpp"
#include "load/stream.hpp"
#include "load/wall_offset.hpp"

namespace tokenjoule {

/// What the controlling thread asks of all loops.
struct LoadControl {
  static constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;
  enum class Sending { not_yet, warmup, measured, stopped };
  std::atomic<Sending> sending{Sending::not_yet};
  std::atomic<bool> cancel{false};
  /// Requests that may still be taken, of either kind; below 0: none.
  std::atomic<std::int64_t> warmup_left{kNoLimit}, measured_left{kNoLimit};
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
  Nanoseconds ramp_up;               ///< closed loop: over this time streams begin, evenly
  ArrivalQueue* arrivals = nullptr;  ///< open loop; null: a stream's next request follows its last
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

  using Arrival = BodyTimes;

  // load_loop.cpp: the loop itself
  void round(int timeout_ms);
  std::size_t harvest(std::span<epoll_event> events, int timeout_ms);
  int longest_sleep_ms() const;
  void obey();
  void begin_streams(bool first_time);
  void cancel_all();
  void keep_house();
  void sample_clocks();
  void publish();
  void publish_now();
  void wait_for_room();

  // open_loop.cpp: requests that are sent when they are planned
  void think_before_turn(Stream& stream, std::uint64_t id, MonoTime until);
  void begin_due_turns();
  void begin_turn(Stream& stream, MonoTime planned);
  void free_stream(Stream& stream);
  Stream& taken_free_stream();
  void send_arrivals();
  void begin_arrival(Stream& stream, ArrivalQueue::Arrival arrival, MonoTime now);
  void wake_in_time();

  // stream_requests.cpp: from one request to the next
  void want_request(Stream& stream, MonoTime planned);
  void want_connection(Stream& stream);
  void open_connection(Stream& stream);
  void connected(Stream& stream);
  void connection_failed(Stream& stream, const std::string& failure);
  bool take_request(Stream& stream);
  static void take_up(Stream& stream, PreparedRequest request, bool warmup);
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
  void take_bytes(Stream& stream, char* bytes, std::size_t count, const Arrival& arrival);
  void take_pieces(Stream& stream, const Arrival& arrival);
  void peer_closed(Stream& stream, MonoTime at);
  void answered(Stream& stream, MonoTime at);
  void answer_accepted(Stream& stream, MonoTime at);

  // stream_tls.cpp: TLS between socket and HTTP
  void begin_handshake(Stream& stream);
  void handshake_ready(Stream& stream, std::uint32_t epoll_events);
  void shake_hands(Stream& stream, std::string_view received);
  int send_outgoing(Stream& stream);
  void send_encrypted(Stream& stream);
  void take_encrypted(Stream& stream, std::size_t count, const Arrival& arrival);
  void encrypted_between_requests(Stream& stream);

  LoopParts parts_;
  std::vector<Stream> streams_;
  std::deque<std::uint32_t> queued_;
  /// Open loop: free streams by target; the one that became free last is at the end.
  std::vector<std::pair<const Target*, std::vector<std::uint32_t>>> free_;
  std::size_t free_count_ = 0;
  std::size_t last_target_ = 0;                            ///< in free_: of the request sent last
  MonoTime free_since_;                                    ///< since then some stream was free
  std::set<std::pair<MonoTime, std::uint32_t>> thinking_;  ///< streams, by when they go on
  std::optional<MonoTime> timer_;  ///< what wakes the loop for the next planned request
  std::size_t connecting_ = 0;
  std::size_t waiting_ = 0;
  int epoll_ = -1;
  int wake_ = -1;
  int timer_descriptor_ = -1;
  std::vector<char> buffer_;  ///< head-room, then what a read brings; shared by all streams
  std::vector<char> plain_;   ///< the same, decrypted; empty until a connection has TLS
  std::atomic<LoadControl::Sending> obeyed_{LoadControl::Sending::not_yet};
  bool cancelled_ = false;
  WallOffset offset_;
  MonoTime round_begin_;
  HarvestTimes harvest_times_;
  MonoTime sampled_;
  MonoTime published_;
  MonoTime house_kept_;
  LoopTotals totals_;
  std::unique_ptr<ThreadTimes> thread_;
};

}  // namespace tokenjoule
