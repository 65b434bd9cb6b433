#include "milter/cli/terminal/shell_word.h"

#include "config/base/ascii.h"

namespace shingled::milter::cli {

std::string shell_word(std::string_view text) {
  if (ascii::is_word(text, text.size(), "_-./:=@,+%")) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace shingled::milter::cli
