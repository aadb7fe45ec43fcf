// Prints the token totals that our generator gives. Reads lines "isl osl ratio seed requests" from
// standard input and writes "input output" for each.
#include <iostream>

#include "published/seeded_lengths.hpp"

int main() {
  tokenjoule::SeededWorkload workload;
  std::uint32_t requests = 0;
  while (std::cin >> workload.input_len >> workload.output_len >> workload.range_ratio >>
         workload.seed >> requests) {
    const auto totals = tokenjoule::SeededTotals(workload).of(requests);
    std::cout << totals.input << ' ' << totals.output << '\n';
  }
  return 0;
}
