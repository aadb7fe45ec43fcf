#pragma once

#include <string>

#include "model/report.hpp"

namespace tokenjoule {

/// result.json: the whole report in the schema of docs/result.schema.json, indented by two blanks,
/// with a line's end at the end. SI units, the unit at the end of each key; a value that is not
/// known is null, with a reason beside it where the report has one. Equal reports give equal bytes.
/// Foreign bytes that are not UTF-8 become U+FFFD; numbers that are not finite become null.
std::string result_json(const Report& report);

}  // namespace tokenjoule
