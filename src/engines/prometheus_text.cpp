#include "engines/prometheus_text.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

std::optional<std::string_view> PrometheusSample::label(std::string_view wanted) const {
  for (const auto& [key, text] : labels) {
    if (key == wanted) return text;
  }
  return std::nullopt;
}

const PrometheusFamily* PrometheusPage::family(std::string_view name) const {
  for (const PrometheusFamily& each : families) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::vector<const PrometheusSample*> PrometheusPage::samples_named(std::string_view name) const {
  std::vector<const PrometheusSample*> found;
  for (const PrometheusFamily& each : families) {
    for (const PrometheusSample& sample : each.samples) {
      if (sample.name == name) found.push_back(&sample);
    }
  }
  return found;
}

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}

/// One line, read from the left.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
  std::string_view rest() const { return rest_; }

  /// A bare name; "" where none stands.
  std::string bare_name() {
    std::size_t length = 0;
    while (length < rest_.size() &&
           (starts_name(rest_[length]) || (length > 0 && is_digit(rest_[length])))) {
      ++length;
    }
    return std::string(taken(length));
  }
  /// A quoted string with \\, \" and \n undone; nullopt if it does not end or escapes something
  /// else.
  std::optional<std::string> quoted_string() {
    if (!take('"')) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == '"') {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (c != '\\') {
        text += c;
        continue;
      }
      if (++i == rest_.size()) break;
      const char escaped = rest_[i];
      if (escaped != '\\' && escaped != '"' && escaped != 'n') return std::nullopt;
      text += escaped == 'n' ? '\n' : escaped;
    }
    return std::nullopt;
  }
  /// A name, bare or (Prometheus 3) in quotes.
  std::optional<std::string> name() {
    if (next_is('"')) return quoted_string();
    std::string bare = bare_name();
    if (bare.empty()) return std::nullopt;
    return bare;
  }
  /// All up to the next blank.
  std::string_view word() {
    std::size_t length = 0;
    while (length < rest_.size() && !is_blank(rest_[length])) ++length;
    return taken(length);
  }

 private:
  std::string_view taken(std::size_t length) {
    const std::string_view front = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return front;
  }
  std::string_view rest_;
};

std::optional<double> value_in(std::string_view word) {
  if (const auto number = number_in(word)) return number;
  std::string bare = lower_case(word);
  const bool negative = starts_with(bare, "-");
  if (negative || starts_with(bare, "+")) bare.erase(0, 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (bare == "inf" || bare == "infinity") return negative ? -infinity : infinity;
  if (bare == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

/// What stands in braces. In Prometheus 3 a string alone is the name of the metric.
bool read_labels(LineReader& line, PrometheusSample& sample) {
  for (;;) {
    line.skip_blanks();
    if (line.take('}')) return true;
    const bool in_quotes = line.next_is('"');
    const auto key = line.name();
    if (!key) return false;
    line.skip_blanks();
    if (line.take('=')) {
      line.skip_blanks();
      auto value = line.quoted_string();
      if (!value) return false;
      sample.labels.emplace_back(*key, std::move(*value));
    } else if (in_quotes && sample.name.empty()) {
      sample.name = *key;
    } else {
      return false;
    }
    line.skip_blanks();
    if (!line.take(',') && !line.next_is('}')) return false;
  }
}

/// name {labels} value [timestamp] [# exemplar]
std::optional<PrometheusSample> sample_in(std::string_view text) {
  LineReader line(text);
  PrometheusSample sample;
  line.skip_blanks();
  sample.name = line.bare_name();
  line.skip_blanks();
  if (line.take('{') && !read_labels(line, sample)) return std::nullopt;
  if (sample.name.empty()) return std::nullopt;
  line.skip_blanks();
  const auto value = value_in(line.word());
  if (!value) return std::nullopt;
  sample.value = *value;
  line.skip_blanks();
  // The stamp (milliseconds or seconds, by format) is not used: our own clock brackets the read.
  if (!line.rest().empty() && !line.next_is('#') && !number_in(line.word())) return std::nullopt;
  line.skip_blanks();
  if (!line.rest().empty() && !line.next_is('#')) return std::nullopt;
  sample.line = text;
  return sample;
}

std::string without_help_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        (text[i + 1] == '\\' || text[i + 1] == 'n' || text[i + 1] == '"');
    if (escape) ++i;
    plain += escape && text[i] == 'n' ? '\n' : text[i];
  }
  return plain;
}

/// The endings by which samples of a family of that type extend its name.
std::vector<std::string_view> endings_of(std::string_view type) {
  if (type == "counter") return {"_total", "_created"};
  if (type == "histogram") return {"_bucket", "_sum", "_count", "_created"};
  if (type == "summary") return {"_sum", "_count", "_created"};
  if (type == "gaugehistogram") return {"_bucket", "_gsum", "_gcount"};
  if (type == "info") return {"_info"};
  return {};
}

class PageReader {
 public:
  explicit PageReader(PrometheusPage& page) : page_(page) {}

  void read(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string_view text = trimmed(line);
    if (text.empty()) return;
    if (ended_) return refuse(line);
    if (text.front() == '#') return read_comment(text);
    auto sample = sample_in(line);
    if (!sample) return refuse(line);
    PrometheusFamily& family = family_of(sample->name);
    family.samples.push_back(std::move(*sample));
  }
  bool ended() const { return ended_; }

 private:
  void refuse(std::string_view line) {
    if (page_.lines_refused++ == 0) page_.first_refused = line;
    LineReader words(trimmed(line));
    if (std::string name = words.bare_name(); !name.empty()) {
      page_.refused_names.insert(std::move(name));
    }
  }

  void read_comment(std::string_view text) {
    if (text == "# EOF") {
      ended_ = true;
      return;
    }
    LineReader line(text.substr(1));
    line.skip_blanks();
    const std::string_view keyword = line.word();
    if (keyword != "TYPE" && keyword != "HELP") return;  // a comment, or UNIT
    line.skip_blanks();
    const auto name = line.name();
    if (!name || (!line.rest().empty() && !is_blank(line.rest().front()))) return refuse(text);
    const std::string_view what = trimmed(line.rest());
    PrometheusFamily& family = declared(*name);
    if (keyword == "HELP") {
      family.help = without_help_escapes(what);
    } else if (family.type.empty() || family.type == what) {
      family.type = what;
    } else {
      refuse(text);
    }
  }

  PrometheusFamily& declared(const std::string& name) {
    const auto [at, is_new] = index_.try_emplace(name, page_.families.size());
    if (is_new) page_.families.push_back({.name = name});
    return page_.families[at->second];
  }

  PrometheusFamily& family_of(const std::string& sample_name) {
    if (const auto at = index_.find(sample_name); at != index_.end()) {
      return page_.families[at->second];
    }
    const auto underscore = sample_name.rfind('_');
    if (underscore != std::string::npos) {
      const auto at = index_.find(sample_name.substr(0, underscore));
      if (at != index_.end()) {
        PrometheusFamily& family = page_.families[at->second];
        for (const std::string_view ending : endings_of(family.type)) {
          if (sample_name.compare(underscore, std::string::npos, ending) == 0) return family;
        }
      }
    }
    return declared(sample_name);
  }

  PrometheusPage& page_;
  std::unordered_map<std::string, std::size_t> index_;  ///< families by name
  bool ended_ = false;
};

tl::unexpected<Error> no_page(std::string_view what, std::string_view text) {
  return failure(ErrorKind::missing,
                 fmt::format("{} instead of a metrics page: \"{}\"", what, quoted(trimmed(text))),
                 "check the URL: a metrics page is plain text, usually at /metrics");
}

/// What the page is instead of Prometheus text, "" if it may be that.
std::string_view other_kind(std::string_view text) {
  const std::string_view body = trimmed(text);
  if (body.empty()) return "nothing";
  if (body.front() == '<') return "HTML";
  if ((body.front() == '{' || body.front() == '[') && JsonDocument::parse(body)) return "JSON";
  return "";
}

}  // namespace

Result<PrometheusPage> prometheus_page(std::string_view text, std::string_view content_type) {
  if (starts_with(text, "\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string unwrapped;
  if (starts_with(trimmed(text), "\"")) {
    // llama.cpp b7010 to b7100 sent its page as one JSON string (its issue 17384).
    const auto document = JsonDocument::parse(trimmed(text));
    if (document) unwrapped = document->root().string().value_or("");
    if (!unwrapped.empty() && unwrapped.front() != '"') text = unwrapped;
  }
  if (const auto kind = other_kind(text); !kind.empty()) return no_page(kind, text);
  PrometheusPage page;
  PageReader reader(page);
  bool cut = false;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = text.find('\n', start);
    const std::string_view line = text.substr(start, end == text.npos ? text.npos : end - start);
    cut = end == text.npos && trimmed(line) != "# EOF";
    if (!cut) reader.read(line);
    start = end == text.npos ? text.size() : end + 1;
  }
  const bool open_metrics =
      lower_case(content_type).find("application/openmetrics-text") != std::string::npos;
  page.truncated = cut || (open_metrics && !reader.ended());
  const bool any_sample = std::any_of(page.families.begin(), page.families.end(),
                                      [](const auto& family) { return !family.samples.empty(); });
  if (!any_sample && (page.lines_refused > 0 || cut)) return no_page("other text", text);
  return page;
}

}  // namespace tokenjoule
