#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tokenjoule {

/// What the terminal can show.
struct TerminalStyle {
  int width = 100;      ///< columns; taken as 80 below that and as 120 above
  bool colour = false;  ///< escape sequences for colours
  bool utf8 = true;     ///< else ASCII alone
};

enum class Paint { plain, strong, faint, good, warning, bad, simulated };

struct TextColumn {
  std::string heading;
  bool right_aligned = false;
};

/// A page of text under a style. Whatever is put on it is made harmless first: no line holds a
/// control character but the colours, none is wider than the page.
class TerminalPage {
 public:
  explicit TerminalPage(TerminalStyle style);

  /// A paragraph, broken at blanks. Its first line is indented by so many columns, the others by
  /// two more where that is not 0.
  void paragraph(std::string_view text, Paint paint = Paint::plain, int indent = 0);
  /// "  label            value", the value broken over as many lines as it needs.
  void field(std::string_view label, std::string_view value, Paint paint = Paint::plain);
  void heading(std::string_view text);
  /// A row of headings, then the rows. A row may be shorter than the columns. Where it is all too
  /// wide for the page, the widest left-aligned column is cut.
  void table(const std::vector<TextColumn>& columns,
             const std::vector<std::vector<std::string>>& rows);
  void blank() { text_ += '\n'; }

  const std::string& text() const { return text_; }

 private:
  std::string safe(std::string_view foreign) const;
  void line(std::string_view safe_text, Paint paint);

  TerminalStyle style_;
  std::string text_;
};

}  // namespace tokenjoule
