#include "app/secrets.hpp"

#include <cstring>
#include <string_view>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// "user:password" between "://" and '@' of a URL anywhere in an argument.
void blank_out_user_info(char* text) {
  for (char* scheme = std::strstr(text, "://"); scheme != nullptr;
       scheme = std::strstr(scheme + 3, "://")) {
    char* const begin = scheme + 3;
    const std::size_t length = std::strcspn(begin, "/?#,");
    std::size_t user_info = 0;
    for (std::size_t i = 0; i < length; ++i) {
      if (begin[i] == '@') user_info = i;
    }
    std::memset(begin, 'x', user_info);
  }
}

void blank_out(char* text) { std::memset(text, 'x', std::strlen(text)); }

}  // namespace

void hide_secrets(int count, char** arguments) {
  constexpr std::string_view secrets[] = {"--api-key",    "--header",       "-H",
                                          "--extra-body", "--extra-inputs", "--extra-request-body"};
  for (int i = 1; i < count; ++i) {
    blank_out_user_info(arguments[i]);
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
