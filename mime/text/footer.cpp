#include "mime/text/footer.h"

#include <algorithm>
#include <string>

#include "mime/words/letter_fold.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kLinesMax = 25;

}  // namespace

void Footer::read() {
  std::size_t end = content_.ends_with('\n') ? content_.size() - 1 : content_.size();
  std::size_t letters = 0;
  std::string line;
  while (lines_.size() < kLinesMax) {
    const std::size_t line_break =
        end == 0 ? std::string_view::npos : content_.rfind('\n', end - 1);
    const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
    std::string_view raw = content_.substr(begin, end - begin);
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    line.clear();
    fold_letters(raw, line);
    letters += line.size();
    lines_.push_back({begin, letters});
    if (begin == 0) return;
    end = line_break;
  }
}

bool Footer::may_begin_at(std::size_t offset, std::size_t letters_above) {
  if (lines_.empty()) read();
  const auto line = std::ranges::find(lines_, offset, &Line::offset);
  return line != lines_.end() && line->letters_below <= letters_above;
}

}  // namespace shingled::mime
