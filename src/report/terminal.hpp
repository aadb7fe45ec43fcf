#pragma once

#include <span>
#include <string>

#include "model/report.hpp"
#include "report/terminal_page.hpp"

namespace tokenjoule {

/// A result for people: the verdict first, then figures, boundary, window, load, devices, the
/// client's own quality, the reasons of the verdict with advice, the full run. What is not known
/// stands as "n/a" with its reason; simulated and modelled results say so in capitals.
std::string terminal_table(const Report& report, const TerminalStyle& style = {});

/// Several operating points beside each other, one row each in the order given, and below the table
/// the reasons of each point whose verdict is not plainly usable.
std::string points_table(std::span<const Report> reports, const TerminalStyle& style = {});

}  // namespace tokenjoule
