#include "published/published_table.hpp"

namespace tokenjoule {

namespace {

constexpr PublishedFormat kFormats[] = {
    {"table", published_terminal},
    {"markdown", published_markdown},
    {"csv", published_csv},
    {"json", published_json},
};

}  // namespace

std::span<const PublishedFormat> published_formats() { return kFormats; }

const PublishedFormat* published_format_named(std::string_view name) {
  for (const PublishedFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace tokenjoule
