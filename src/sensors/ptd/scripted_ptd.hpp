#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "io/testing_server.hpp"

// A PTDaemon for tests. Nothing but tests includes this.
namespace tokenjoule {

/// Answers line commands; gives the samples that were added since the last "RL".
class ScriptedPtd {
 public:
  std::uint16_t port() const { return server_.url().port; }

  /// A line "Time,…,Watts,<watts>,…" for each second of a minute.
  void add(const std::vector<int>& seconds, const std::string& watts,
           const std::string& behind = "") {
    for (const int second : seconds) {
      add_line(
          fmt::format("Time,11-30-2026 18:00:{:02}.000,Watts,{},Volts,230.1,Amps,1.8,PF,0.99,"
                      "Mark,run{}",
                      second, watts, behind));
    }
  }
  void add_line(const std::string& line) {
    const std::lock_guard lock(mutex_);
    samples_.push_back(line);
  }
  /// What it says to a command from now on.
  void answer(const std::string& command, const std::string& line) {
    const std::lock_guard lock(mutex_);
    answers_[command] = line;
  }
  /// Closes the connection at the next command.
  void drop_connection() {
    const std::lock_guard lock(mutex_);
    drops_ = true;
  }
  std::string commands() {
    const std::lock_guard lock(mutex_);
    return commands_;
  }

 private:
  void serve(int socket) {
    std::string command;
    for (char c = 0; recv(socket, &c, 1, 0) == 1;) {
      if (c != '\n') {
        command += c;
        continue;
      }
      if (!command.empty() && command.back() == '\r') command.pop_back();
      const std::lock_guard lock(mutex_);
      if (std::exchange(drops_, false)) return;
      commands_ += command + ";";
      SocketServer::reply(socket, answer_to(command));
      command.clear();
    }
  }

  std::string answer_to(const std::string& command) {
    const auto fixed = answers_.find(command);
    if (fixed != answers_.end()) return fixed->second + "\r\n";
    if (command == "Hello") return "Hello, PTDaemon here!\r\n";
    if (command == "Identify") return "Yokogawa WT310E\r\n";
    if (command.rfind("Go,", 0) == 0) return "Starting untimed measurement\r\n";
    if (command.rfind("RL", 0) != 0) return "Unknown command\r\n";
    std::string text = fmt::format("Last {} samples\r\n", samples_.size());
    if (samples_.empty()) text = "No unread samples available\r\n";
    for (const std::string& line : samples_) text += line + "\r\n";
    samples_.clear();
    return text;
  }

  std::mutex mutex_;
  std::deque<std::string> samples_;
  std::map<std::string, std::string> answers_;
  std::string commands_;
  bool drops_ = false;
  SocketServer server_{[this](SocketServer&, int socket) { serve(socket); }};  ///< last
};

}  // namespace tokenjoule
