#include "sensors/file_values.hpp"

#include <utility>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

class FileValue final : public ValueSource {
 public:
  FileValue(SysfsFile file, AbsentNumbers absent) : file_(std::move(file)), absent_(absent) {}

  Result<double> read(MonoTime) override {
    TRY(const double number, file_.number());
    const bool sentinel = absent_.from && number >= *absent_.from;
    if (!sentinel && !(absent_.zero && number == 0)) return number;
    return failure(ErrorKind::retry, fmt::format("{} says {:.0f}: not known to its driver",
                                                 file_.path().string(), number));
  }

 private:
  SysfsFile file_;
  AbsentNumbers absent_;
};

class FileProduct final : public ValueSource {
 public:
  FileProduct(SysfsFile first, SysfsFile second)
      : first_(std::move(first)), second_(std::move(second)) {}

  Result<double> read(MonoTime) override {
    TRY(const double first, first_.number());
    TRY(const double second, second_.number());
    return first * second;
  }

 private:
  SysfsFile first_;
  SysfsFile second_;
};

class FileCounter final : public ValueSource {
 public:
  FileCounter(SysfsFile file, double to_si, std::optional<WrappingRange> range)
      : file_(std::move(file)), to_si_(to_si), range_(range) {}

  Result<double> read(MonoTime now) override {
    TRY(const double raw, file_.number());
    if (range_ && last_) TRY_DO(check(raw, to_seconds(now - last_at_)));
    last_ = raw;
    last_at_ = now;
    return raw;
  }

 private:
  Status check(double raw, Seconds elapsed) const {
    if (may_hide_a_wrap(*range_, elapsed)) {
      return failure(ErrorKind::unavailable,
                     fmt::format("{} was not read for {:.0f} s and may have wrapped unseen",
                                 file_.path().string(), elapsed.value()));
    }
    if (raw >= *last_ ||
        is_a_wrap(*range_, Joules(*last_ * to_si_), Joules(raw * to_si_), elapsed)) {
      return {};
    }
    return failure(ErrorKind::unavailable,
                   fmt::format("{} went back from {:.0f} to {:.0f}: it was reset, no wrap "
                               "explains it",
                               file_.path().string(), *last_, raw));
  }

  SysfsFile file_;
  double to_si_;
  std::optional<WrappingRange> range_;
  std::optional<double> last_;
  MonoTime last_at_;
};

}  // namespace

Result<std::unique_ptr<ValueSource>> file_value(const std::filesystem::path& file,
                                                AbsentNumbers absent) {
  TRY(SysfsFile opened, SysfsFile::open(file));
  return std::make_unique<FileValue>(std::move(opened), absent);
}

Result<std::unique_ptr<ValueSource>> file_product(const std::filesystem::path& first,
                                                  const std::filesystem::path& second) {
  TRY(SysfsFile one, SysfsFile::open(first));
  TRY(SysfsFile two, SysfsFile::open(second));
  return std::make_unique<FileProduct>(std::move(one), std::move(two));
}

bool may_hide_a_wrap(const WrappingRange& range, Seconds elapsed) {
  return range.most * elapsed > range.range;
}

bool is_a_wrap(const WrappingRange& range, Joules before, Joules after, Seconds elapsed) {
  // The thread may be held up between its stamp and its read.
  constexpr Seconds kHeldUp(0.1);
  return after < before && range.range - before + after <= range.most * (elapsed + kHeldUp);
}

Result<std::unique_ptr<ValueSource>> file_counter(const std::filesystem::path& file, double to_si,
                                                  std::optional<WrappingRange> range) {
  TRY(SysfsFile opened, SysfsFile::open(file));
  return std::make_unique<FileCounter>(std::move(opened), to_si, range);
}

}  // namespace tokenjoule
