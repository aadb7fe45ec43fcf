#include <csignal>
#include <string>
#include <vector>

#include "app/program.hpp"
#include "app/secrets.hpp"

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe or connection is an error value, not the end
  const std::vector<std::string> words(arguments + 1, arguments + count);
  tokenjoule::hide_secrets(count, arguments);
  return tokenjoule::run_program(words);
}
