#include "mime/model/mail.h"

#include <algorithm>

namespace shingled::mime {

void note_once(std::vector<std::string>& defects, std::string_view defect) {
  if (std::find(defects.begin(), defects.end(), defect) == defects.end()) {
    defects.emplace_back(defect);
  }
}

}  // namespace shingled::mime
