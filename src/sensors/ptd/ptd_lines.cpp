#include "sensors/ptd/ptd_lines.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/stamp.hpp"
#include "base/text.hpp"

namespace tokenjoule {
namespace {

using Words = std::vector<std::string_view>;

tl::unexpected<Error> no_sample(std::string_view line) {
  return failure(ErrorKind::retry, fmt::format("\"{}\" is no sample", quoted(line)),
                 "update PTDaemon, or send its line to those who look after this program");
}

std::optional<int> small_integer(std::string_view text) {
  const auto number = integer_in(text);
  return number && *number >= 0 && *number < 10'000 ? std::optional(static_cast<int>(*number))
                                                    : std::nullopt;
}

/// The word behind "Watts", of the whole analyser or behind "Ch<channel>".
std::optional<std::string_view> watts_of(const Words& words, int channel) {
  auto from = words.begin() + 2;
  if (channel > 0) from = std::find(from, words.end(), fmt::format("Ch{}", channel));
  const auto name = std::find(from, words.end(), "Watts");
  if (name == words.end() || name + 1 == words.end()) return std::nullopt;
  return *(name + 1);
}

}  // namespace

Result<PtdSample> ptd_sample_in(std::string_view line, int channel) {
  const Words words = split(line, ',');
  if (words.size() < 4 || words[0] != "Time") return no_sample(line);
  const auto stamp = dated_stamp_in(words[1]);
  if (!stamp) return no_sample(line);
  const auto text = watts_of(words, channel);
  if (!text) return no_sample(line);
  PtdSample sample{.stamp = Seconds(unix_seconds_of(*stamp)), .power = {}, .why_absent = {}};
  const auto watts = number_in(*text);
  if (!watts) {
    sample.why_absent = fmt::format("the analyser gives \"{}\" as watts", quoted(*text));
  } else if (*watts == -1) {
    sample.why_absent = "the analyser does not know the watts (-1)";
  } else if (*watts < 0) {
    sample.why_absent = fmt::format("the analyser gives {:g} W: it is wired the wrong way", *watts);
  } else if (*watts > 1e9) {
    sample.why_absent = fmt::format("the analyser is out of its range ({:g} W)", *watts);
  } else {
    sample.power = Watts(*watts);
  }
  return sample;
}

std::optional<int> ptd_count_in(std::string_view line) {
  const Words words = split(line, ' ');
  if (words.size() >= 3 && words[0] == "Last" && starts_with(words[2], "sample")) {
    return small_integer(words[1]);
  }
  const std::string lower = lower_case(line);
  const bool none =
      lower.find("no unread") != lower.npos || lower.find("insufficient unread") != lower.npos;
  return none ? std::optional(0) : std::nullopt;
}

}  // namespace tokenjoule
