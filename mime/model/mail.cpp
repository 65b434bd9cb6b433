#include "mime/model/mail.h"

#include <algorithm>

namespace shingled::mime {

bool MailPart::is_report() const {
  return type.type == "message" && (type.subtype == "delivery-status" ||
                                    type.subtype.find("notification") != std::string::npos);
}

bool MailPart::is_labelled_signed() const {
  return type.subtype.find("pkcs7-mime") != std::string::npos;
}

bool MailPart::is_attached() const {
  return disposition.kind == Disposition::Kind::kAttachment ||
         disposition.kind == Disposition::Kind::kOther;
}

std::string_view MailPart::file_name() const {
  return disposition.file_name.empty() ? type.name : disposition.file_name;
}

std::string_view MailPart::shown_name() const {
  const std::string_view name = file_name();
  return name.empty() ? std::string_view(disposition.bare_name) : name;
}

void add_once(std::vector<std::string>& defects, std::string_view defect) {
  if (std::find(defects.begin(), defects.end(), defect) == defects.end()) {
    defects.emplace_back(defect);
  }
}

}  // namespace shingled::mime
