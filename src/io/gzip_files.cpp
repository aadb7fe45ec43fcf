#include <fmt/core.h>
#include <zlib.h>

#include "io/data_files.hpp"
#include "io/zip_files.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr int kGzipWindow = 16 + MAX_WBITS;  ///< zlib: expect a gzip header

struct Inflater {
  z_stream stream{};
  bool open = inflateInit2(&stream, kGzipWindow) == Z_OK;
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (open) inflateEnd(&stream);
  }
};

tl::unexpected<Error> broken() {
  return failure(ErrorKind::missing, "its gzip data is damaged or cut off");
}

}  // namespace

std::string beyond_bounds(std::uint64_t packed, std::uint64_t unpacked,
                          const DataFileBounds& bounds) {
  if (unpacked > bounds.largest_file)
    return fmt::format("unpacked it has more than {:.1f} GB",
                       static_cast<double>(bounds.largest_file) / 1e9);
  if (unpacked > bounds.ratio_from && unpacked / bounds.ratio > packed)
    return fmt::format("it unpacks to more than {} times its size, as a zip bomb does",
                       bounds.ratio);
  return "";
}

Result<std::string> unpacked_gzip(std::string_view packed, const DataFileBounds& bounds) {
  Inflater inflater;
  if (!inflater.open) return failure(ErrorKind::internal, "zlib does not start");
  z_stream& stream = inflater.stream;
  // zlib promises not to write to its input.
  std::string input(packed);
  std::string plain;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());  // bounded: files are at most 1 GiB
  std::string chunk(kChunk, '\0');
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int state = inflate(&stream, Z_NO_FLUSH);
    plain.append(chunk, 0, chunk.size() - stream.avail_out);
    if (auto why = beyond_bounds(packed.size(), plain.size(), bounds); !why.empty())
      return failure(ErrorKind::missing, std::move(why));
    if (state == Z_STREAM_END) {
      if (stream.avail_in == 0) return plain;
      if (inflateReset(&stream) != Z_OK) return broken();
    } else if (state != Z_OK || (stream.avail_in == 0 && stream.avail_out != 0)) {
      return broken();
    }
  }
}

}  // namespace tokenjoule
