#include "app/interrupt.hpp"

#include <csignal>

#include <pthread.h>
#include <unistd.h>

#include "app/exit_code.hpp"

namespace tokenjoule {

namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

}  // namespace

InterruptWatcher::InterruptWatcher() {
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait_for_signals(); });
}

InterruptWatcher::~InterruptWatcher() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void InterruptWatcher::wait_for_signals() {
  const sigset_t set = watched_signals();
  while (true) {
    int number = 0;
    if (sigwait(&set, &number) != 0) continue;
    if (ending_) return;
    if (signal_ != 0) _exit(kExitInterrupted);
    signal_ = number;
    stop_.request_stop();
  }
}

}  // namespace tokenjoule
