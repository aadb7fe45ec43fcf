#include <fmt/core.h>

#include "devices/amd_smi.hpp"

namespace tokenjoule {

namespace {

struct CodeMeaning {
  amd_smi::Return code;
  ErrorKind kind;
  std::string_view words;
  std::string_view hint;
};

constexpr std::string_view kDriverHint =
    "sudo modprobe amdgpu; in a container: --device /dev/kfd --device /dev/dri";
constexpr std::string_view kRightsHint =
    "let your user into the groups render and video, or run as root";

constexpr CodeMeaning kMeanings[] = {
    {amd_smi::kInvalid, ErrorKind::missing, "not accepted by this version", ""},
    {amd_smi::kNotSupported, ErrorKind::missing, "not supported by this GPU or driver", ""},
    {amd_smi::kNotYetImplemented, ErrorKind::missing, "not supported by this version", ""},
    {amd_smi::kFailLoadModule, ErrorKind::missing, "a library of it is missing",
     "install all of amd-smi-lib and libdrm"},
    {amd_smi::kFailLoadSymbol, ErrorKind::missing, "a library of it is too old",
     "install all of amd-smi-lib and libdrm"},
    {amd_smi::kDrmError, ErrorKind::retry, "the graphics driver refused", kDriverHint},
    {amd_smi::kApiFailed, ErrorKind::retry, "the call failed", ""},
    {amd_smi::kTimeout, ErrorKind::retry, "the driver did not answer in time", ""},
    {amd_smi::kRetry, ErrorKind::retry, "not now", ""},
    {amd_smi::kNoPermission, ErrorKind::missing, "no permission", kRightsHint},
    {amd_smi::kInterrupt, ErrorKind::retry, "interrupted", ""},
    {amd_smi::kIo, ErrorKind::retry, "a read failed", ""},
    {amd_smi::kFileError, ErrorKind::retry, "a file of the driver cannot be read", kRightsHint},
    {amd_smi::kInitError, ErrorKind::missing, "it could not start", kDriverHint},
    {amd_smi::kBusy, ErrorKind::retry, "the GPU is busy", ""},
    {amd_smi::kNotFound, ErrorKind::unavailable, "the GPU is gone",
     "see the kernel's log (dmesg) for a GPU that was reset or fell off the bus"},
    {amd_smi::kNotInit, ErrorKind::unavailable, "it is not initialised", kDriverHint},
    {amd_smi::kDriverNotLoaded, ErrorKind::missing, "the amdgpu driver is not loaded", kDriverHint},
    {amd_smi::kNoData, ErrorKind::retry, "the driver has no value", ""},
};

const CodeMeaning* meaning_of(amd_smi::Return code) {
  for (const CodeMeaning& meaning : kMeanings) {
    if (meaning.code == code) return &meaning;
  }
  return nullptr;
}

}  // namespace

std::string_view amd_smi_words_for(amd_smi::Return code) {
  const CodeMeaning* const meaning = meaning_of(code);
  return meaning == nullptr ? "an error of a kind that is not known here" : meaning->words;
}

Error amd_smi_error(amd_smi::Return code, std::string_view function) {
  const CodeMeaning* const meaning = meaning_of(code);
  return {
      .kind = meaning == nullptr ? ErrorKind::retry : meaning->kind,
      .message = fmt::format("{}: {} (AMD SMI code {})", function, amd_smi_words_for(code), code),
      .hint = meaning == nullptr ? std::string() : std::string(meaning->hint)};
}

}  // namespace tokenjoule
