#include "mime/message/mail.h"

#include <algorithm>

#include "mime/ascii.h"

namespace shingled::mime {

void note_once(std::vector<std::string>& defects, std::string_view defect) {
  if (std::find(defects.begin(), defects.end(), defect) == defects.end()) {
    defects.emplace_back(defect);
  }
}

const HeaderField* find_header(const std::vector<HeaderField>& headers, std::string_view name) {
  for (const HeaderField& field : headers) {
    if (ascii::equal_ignoring_case(field.name, name)) return &field;
  }
  return nullptr;
}

}  // namespace shingled::mime
