#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace tokenjoule {

enum class ErrorKind {
  usage,        ///< the command line or a configuration file is wrong: exit code 2
  missing,      ///< something needed is not there, not allowed or does not answer: exit code 3
  unusable,     ///< measured, but not usable: exit code 4
  interrupted,  ///< stopped by the user: exit code 130
  retry,        ///< this read failed, the next may not: a sensor keeps its calendar
  gone,         ///< the thing measured ended, as expected
  unavailable,  ///< the sensor or the service cannot be used any more
  internal,     ///< a fault of ours: exit code 1
};

/// What failed. `message`: what, on what. `hint`: a thing the reader can type or change.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  std::string hint;

  /// The same error, with where it happened put in front of its message.
  Error in(const std::string& context) && {
    message = context + ": " + message;
    return std::move(*this);
  }
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> unexpected(Error error) {
  return tl::unexpected<Error>(std::move(error));
}
inline tl::unexpected<Error> failure(ErrorKind kind, std::string message, std::string hint = {}) {
  return unexpected({kind, std::move(message), std::move(hint)});
}

}  // namespace tokenjoule

#define TOKENJOULE_JOIN_(a, b) a##b
#define TOKENJOULE_JOIN(a, b) TOKENJOULE_JOIN_(a, b)
#define TOKENJOULE_TRY_(temp, decl, ...)                               \
  auto temp = (__VA_ARGS__);                                           \
  if (!temp) return ::tokenjoule::unexpected(std::move(temp).error()); \
  decl = *std::move(temp)
/// TRY(const Watts power, board_power(gpu)); gives the error to the caller, or the value to
/// `power`.
#define TRY(decl, ...) TOKENJOULE_TRY_(TOKENJOULE_JOIN(try_result_, __LINE__), decl, __VA_ARGS__)
/// TRY_DO(write(line)); the same for a call that returns no value.
#define TRY_DO(...)                                                   \
  do {                                                                \
    if (auto try_status = (__VA_ARGS__); !try_status)                 \
      return ::tokenjoule::unexpected(std::move(try_status).error()); \
  } while (false)
