#include "devices/nvml_error.hpp"

#include <fmt/core.h>

namespace tokenjoule {

namespace {

struct CodeMeaning {
  nvml::Return code;
  ErrorKind kind;
  std::string_view words;
  std::string_view hint;
};

constexpr std::string_view kDriverHint =
    "install or load the NVIDIA driver; in a container, start it with the GPUs (--gpus all)";
constexpr std::string_view kRightsHint =
    "give your user and container access to /dev/nvidia*, or run as root";
constexpr std::string_view kLostHint =
    "look for Xid errors in the kernel's log (dmesg), then reset the GPU or reboot";

constexpr CodeMeaning kMeanings[] = {
    {nvml::kUninitialized, ErrorKind::unavailable, "NVML is not initialised", kDriverHint},
    {nvml::kInvalidArgument, ErrorKind::missing, "not accepted by this driver", ""},
    {nvml::kNotSupported, ErrorKind::missing, "not supported by this GPU or driver", ""},
    {nvml::kNoPermission, ErrorKind::missing, "no permission", kRightsHint},
    {nvml::kNotFound, ErrorKind::missing, "not found", ""},
    {nvml::kInsufficientSize, ErrorKind::retry, "the list grew while it was read", ""},
    {nvml::kDriverNotLoaded, ErrorKind::missing, "the NVIDIA driver is not loaded", kDriverHint},
    {nvml::kTimeout, ErrorKind::retry, "the driver did not answer in time", ""},
    {nvml::kLibraryNotFound, ErrorKind::missing, "a library of the driver is missing", kDriverHint},
    {nvml::kFunctionNotFound, ErrorKind::missing, "not known to this driver", ""},
    {nvml::kGpuIsLost, ErrorKind::unavailable, "the GPU is lost", kLostHint},
    {nvml::kResetRequired, ErrorKind::unavailable, "the GPU must be reset", kLostHint},
    {nvml::kOperatingSystem, ErrorKind::missing, "the operating system refused access",
     kRightsHint},
    {nvml::kVersionMismatch, ErrorKind::missing,
     "the driver in the kernel and its library are of different versions",
     "load the new driver: reboot, or unload and load its kernel modules"},
    {nvml::kInUse, ErrorKind::retry, "the GPU is in exclusive use at the moment", ""},
    {nvml::kMemory, ErrorKind::retry, "out of memory", ""},
    {nvml::kArgumentVersionMismatch, ErrorKind::missing, "not known in this version", ""},
    {nvml::kDeprecated, ErrorKind::missing, "no longer offered by this driver", ""},
    {nvml::kNotReady, ErrorKind::retry, "the GPU is not ready",
     "in confidential computing, set it ready: nvidia-smi conf-compute -srs 1"},
    {nvml::kGpuNotFound, ErrorKind::missing, "there is no such GPU", ""},
    {nvml::kUnknown, ErrorKind::retry, "an error that the driver does not explain", ""},
};

const CodeMeaning* meaning_of(nvml::Return code) {
  for (const CodeMeaning& meaning : kMeanings) {
    if (meaning.code == code) return &meaning;
  }
  return nullptr;
}

}  // namespace

std::string_view nvml_words_for(nvml::Return code) {
  const CodeMeaning* const meaning = meaning_of(code);
  return meaning == nullptr ? "an error of a kind that is not known here" : meaning->words;
}

Error nvml_error(nvml::Return code, std::string_view function) {
  const CodeMeaning* const meaning = meaning_of(code);
  return {.kind = meaning == nullptr ? ErrorKind::retry : meaning->kind,
          .message = fmt::format("{}: {} (NVML code {})", function, nvml_words_for(code), code),
          .hint = meaning == nullptr ? std::string() : std::string(meaning->hint)};
}

Error nvml_lacks(std::string_view function) {
  return {.kind = ErrorKind::missing,
          .message = fmt::format(
              "the NVIDIA driver's library has no {}: the driver is too old for it", function),
          .hint = "install a newer NVIDIA driver"};
}

}  // namespace tokenjoule
