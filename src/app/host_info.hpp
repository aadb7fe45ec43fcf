#pragma once

#include <string>

namespace tokenjoule {

/// Facts of this machine for the record, as a JSON object: kernel, CPU model and count, memory,
/// name. Nothing that is a secret; what cannot be read is null.
std::string host_json();

}  // namespace tokenjoule
