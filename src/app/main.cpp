#include <csignal>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "app/program.hpp"
#include "app/secrets.hpp"

namespace {

/// Descriptors 0 to 2 that the caller closed lead nowhere from here on: a file opened later must
/// not become the standard output.
void occupy_standard_descriptors() {
  int descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= 2) descriptor = open("/dev/null", O_RDWR);
  if (descriptor > 2) close(descriptor);
}

}  // namespace

int main(int count, char** arguments) {
  occupy_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe or connection is an error value, not the end
  const std::vector<std::string> words(arguments + 1, arguments + count);
  tokenjoule::hide_secrets(count, arguments);
  return tokenjoule::run_program(words);
}
