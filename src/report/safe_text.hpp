#pragma once

#include <string>
#include <string_view>

namespace tokenjoule {

/// Text that may come from anywhere (a server, a driver, a file) made fit for one line of a
/// terminal, a table or a CSV cell: control characters, line ends and marks that turn the direction
/// of writing become blanks, bytes that are not UTF-8 become U+FFFD. The result is valid UTF-8.
std::string one_line(std::string_view foreign);

/// The same, in ASCII alone: the signs that our own texts use are spelt out ("±" as "+-", "×" as
/// "x"), any other character beyond ASCII becomes '?'.
std::string ascii_line(std::string_view foreign);

/// Columns that valid UTF-8 text takes on a terminal: combining marks take none, the wide
/// characters of East Asian scripts and emoji two, all others one.
int columns_of(std::string_view text);

/// At most `columns` columns of the text, never cut inside a character; a text that was cut ends
/// in "~".
std::string cut_to(std::string_view text, int columns);

}  // namespace tokenjoule
