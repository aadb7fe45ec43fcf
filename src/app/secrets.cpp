#include "app/secrets.hpp"

#include <cstring>
#include <string_view>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

void blank_out(char* text) { std::memset(text, 'x', std::strlen(text)); }

}  // namespace

void hide_secrets(int count, char** arguments) {
  constexpr std::string_view secrets[] = {"--api-key",    "--header",       "-H",
                                          "--extra-body", "--extra-inputs", "--extra-request-body"};
  for (int i = 1; i < count; ++i) {
    for (const std::string_view secret : secrets) {
      const std::string_view argument = arguments[i];
      if (argument == secret && i + 1 < count) {
        blank_out(arguments[i + 1]);
      } else if (starts_with(argument, secret) && argument.size() > secret.size() &&
                 (argument[secret.size()] == '=' || secret == "-H")) {
        blank_out(arguments[i] + secret.size());
      }
    }
  }
}

}  // namespace tokenjoule
