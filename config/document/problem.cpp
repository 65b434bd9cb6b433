#include "config/document/problem.h"

namespace shingled::config {

std::string Problem::to_string() const {
  std::string text = file;
  if (line > 0) text += ':' + std::to_string(line) + ':' + std::to_string(column);
  text += ": ";
  if (!is_error()) text += "warning: ";
  if (!key.empty()) text += key + ": ";
  return text + what;
}

}  // namespace shingled::config
