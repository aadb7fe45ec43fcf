#pragma once

#include <filesystem>
#include <fstream>

#include <fmt/core.h>

namespace tokenjoule::bench {

/// A script of the fake NVML library: so many GPUs of the latest sort, which have all signals.
inline void write_fake_gpus(const std::filesystem::path& path, int gpus) {
  std::ofstream file(path);
  file << "driver = 580.126.09\n";
  for (int gpu = 0; gpu < gpus; ++gpu) {
    file << fmt::format(
        "[gpu]\nuuid = GPU-51d00000-0000-0000-0000-0000000000{:02}\nname = Simulated H200\n"
        "architecture = 9\npower = 0:120 5:600 10:650 15:300\ncounter_step = 0.1\n"
        "limit_enforced = 700\nlimit_default = 700\nlimit_min = 200\nlimit_max = 700\n"
        "temperature = 41\nsm_clock = 1980\nmemory_clock = 2619\nutilisation = 37\n"
        "memory_total = 150000000000\nmemory_used = 120000000000\n",
        gpu);
  }
}

}  // namespace tokenjoule::bench
