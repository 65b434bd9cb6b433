#include "milter/reports/automatic_mail.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "config/base/ascii.h"
#include "mime/message/header_block.h"

namespace shingled::milter::reports {

namespace {

bool is_named(const mime::HeaderField& field, std::string_view name) {
  return ascii::equal_ignoring_case(ascii::trim_space(field.name), name);
}

/// Whether all the names are among the fields, in one of the first groups of them.
bool has_fields(std::string_view body, std::span<const std::string_view> names,
                const MimeOptions& options) {
  constexpr int kGroupsMax = 16;
  std::size_t found = 0;
  for (int i = 0; i < kGroupsMax && !body.empty() && found < names.size(); ++i) {
    const mime::HeaderBlock group = mime::split_header_block(body, options);
    found = static_cast<std::size_t>(std::ranges::count_if(names, [&](std::string_view name) {
      return std::ranges::any_of(group.fields, [&](const mime::HeaderField& field) {
        return is_named(field, name) && !ascii::trim_space(field.value).empty();
      });
    }));
    body.remove_prefix(std::min(group.body_begin, body.size()));
  }
  return found == names.size();
}

/// Whether a part says what became of a message.
bool is_status(const mime::MailPart& part, const MimeOptions& options) {
  static constexpr std::array<std::string_view, 3> kDelivery = {"Final-Recipient", "Action",
                                                                "Status"};
  static constexpr std::array<std::string_view, 2> kDisposition = {"Final-Recipient",
                                                                   "Disposition"};
  if (part.type.type != "message") return false;
  const std::string_view subtype = part.type.subtype;
  if (subtype.ends_with("delivery-status")) return has_fields(part.body, kDelivery, options);
  return subtype.ends_with("disposition-notification") &&
         has_fields(part.body, kDisposition, options);
}

}  // namespace

NullSender null_sender(std::span<const mime::HeaderField> fields) {
  const auto path = std::ranges::find_if(
      fields, [](const mime::HeaderField& field) { return is_named(field, "Return-Path"); });
  if (path == fields.end()) return NullSender::kUnknown;
  return mime::field_word(path->value) == "<>" ? NullSender::kYes : NullSender::kNo;
}

bool is_automatic_answer(std::span<const mime::HeaderField> fields) {
  bool replied = false;
  bool answers = false;
  for (const mime::HeaderField& field : fields) {
    if (is_named(field, "Auto-Submitted")) {
      replied = replied || mime::field_word(field.value) == "auto-replied";
    } else if (is_named(field, "In-Reply-To") || is_named(field, "References")) {
      answers = answers || !ascii::trim_space(field.value).empty();
    }
  }
  return replied && answers && null_sender(fields) == NullSender::kYes;
}

bool is_system_report(std::span<const mime::HeaderField> fields,
                      std::span<const mime::MailPart> parts, const MimeOptions& options) {
  if (parts.empty() || null_sender(fields) == NullSender::kNo) return false;
  const mime::MediaType& root = parts.front().type;
  if (root.type != "multipart" || root.subtype != "report") return false;
  return std::ranges::any_of(parts, [&](const mime::MailPart& part) {
    return part.parent == 0U && is_status(part, options);
  });
}

}  // namespace shingled::milter::reports
