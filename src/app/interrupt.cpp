#include "app/interrupt.hpp"

#include <csignal>

#include <pthread.h>
#include <unistd.h>

#include "app/exit_code.hpp"

namespace tokenjoule {

namespace {

sigset_t watched_signals(InterruptWatcher::Signals signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  if (signals == InterruptWatcher::Signals::that_end) return set;
  for (const int number : {SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&set, number);
  return set;
}

}  // namespace

InterruptWatcher::InterruptWatcher(Signals signals) : signals_(signals) {
  const sigset_t set = watched_signals(signals_);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait_for_signals(); });
}

InterruptWatcher::~InterruptWatcher() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void InterruptWatcher::wait_for_signals() {
  const sigset_t set = watched_signals(signals_);
  while (true) {
    siginfo_t info{};
    const int number = sigwaitinfo(&set, &info);
    if (number < 0) continue;
    if (ending_) return;
    if (const pid_t receiver = receiver_; receiver > 0) {
      if (info.si_code != SI_KERNEL) kill(receiver, number);
      continue;
    }
    if (signal_ != 0) _exit(kExitInterrupted);
    signal_ = number;
    stop_.request_stop();
  }
}

}  // namespace tokenjoule
