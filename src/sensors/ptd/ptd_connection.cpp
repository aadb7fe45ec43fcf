#include "sensors/ptd/ptd_connection.hpp"

#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

tl::unexpected<Error> not_usable(std::string message, std::string hint) {
  return failure(ErrorKind::unavailable, std::move(message), std::move(hint));
}

}  // namespace

Result<PtdConnection> PtdConnection::open(const PtdWish& wish) {
  TRY(LineClient client, LineClient::connect(wish.host, wish.port, wish.timeout));
  PtdConnection connection(std::move(client), wish);
  TRY_DO(connection.greet());
  return connection;
}

PtdConnection::~PtdConnection() {
  if (client_ && started_) (void)client_->send("Stop");
}

Status PtdConnection::greet() {
  TRY(const std::string hello, answer_to("Hello"));
  if (hello.find("PTDaemon") == hello.npos) {
    return not_usable(fmt::format("what listens at {}:{} is no PTDaemon: it says \"{}\"",
                                  wish_.host, wish_.port, quoted(hello)),
                      "check host and port");
  }
  TRY(identity_, answer_to("Identify"));
  if (!wish_.start) return {};
  TRY(const std::string started,
      answer_to(fmt::format("Go,{},0,tokenjoule", wish_.interval.count / 1'000'000)));
  if (!starts_with(started, "Starting") && !wish_.resumes) {
    return not_usable(fmt::format("PTDaemon starts no measurement: \"{}\"", quoted(started)),
                      "if somebody else is measuring with it, leave start=yes out");
  }
  started_ = true;
  return {};
}

/// The next line that is an answer. In between come complaints, whenever the analyser falters, and
/// samples that a complaint had pushed behind those that were announced.
Result<std::string> PtdConnection::next_answer() {
  while (true) {
    TRY(std::string line, client_->next_line(wish_.timeout));
    if (starts_with(line, "ERROR,") || starts_with(line, "Time,")) {
      take_line(line);
    } else {
      return line;
    }
  }
}

void PtdConnection::take_line(const std::string& line) {
  auto sample = ptd_sample_in(line, wish_.channel);
  if (sample) {
    unread_.push_back(std::move(*sample));
  } else {
    complaints_.push_back(line);
  }
}

Result<std::string> PtdConnection::answer_to(const std::string& command) {
  TRY_DO(client_->send(command));
  return next_answer();
}

/// One channel, several and direct current have each their own way of asking.
Result<std::string> PtdConnection::first_line_of_samples() {
  if (!read_command_.empty()) return answer_to(read_command_);
  std::string line;
  for (const char* command : {wish_.channel > 0 ? "RL,*,*" : "RL,*", "RL", "DC-RL"}) {
    TRY(line, answer_to(command));
    if (ptd_count_in(line)) {
      read_command_ = command;
      return line;
    }
  }
  return line;
}

Result<std::vector<PtdSample>> PtdConnection::unread() {
  TRY(const std::string line, first_line_of_samples());
  const auto count = ptd_count_in(line);
  if (!count) {
    return not_usable(fmt::format("PTDaemon gives no samples: \"{}\"", quoted(line)),
                      "update PTDaemon");
  }
  for (int i = 0; i < *count; ++i) {
    TRY(const std::string text, client_->next_line(wish_.timeout));
    take_line(text);
  }
  return std::exchange(unread_, {});
}

std::vector<std::string> PtdConnection::take_complaints() { return std::exchange(complaints_, {}); }

}  // namespace tokenjoule
