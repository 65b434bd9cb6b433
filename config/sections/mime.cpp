#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {
constexpr std::array<Choice<Compat>, 2> kCompats = {
    {{"rspamd-3", Compat::kRspamd3}, {"rspamd-4", Compat::kRspamd4}}};
constexpr std::array<Choice<WordForm>, 2> kWordForms = {
    {{"posix", WordForm::kPosix}, {"root", WordForm::kRoot}}};
}  // namespace

Key<Settings> mime_section() {
  const auto live = at_reload(&Settings::mime);
  return map<Settings>(
      "mime",
      {
          key("depth_max", live(&MimeOptions::depth_max), Number{1, 1000},
              "nesting levels of multiparts and attached messages, {}"),
          key("parts_max", live(&MimeOptions::parts_max), Number{1, 1'000'000},
              "parts of a message, {}"),
          constant("header_bytes_max", live(&MimeOptions::header_bytes_max), Size::write),
          constant("header_line_bytes_max", live(&MimeOptions::header_line_bytes_max), Size::write),
          key("part_bytes_max", live(&MimeOptions::part_bytes_max), Size{kKi, kGi},
              "one part after decoding, {}"),
          key("text_bytes_max", live(&MimeOptions::text_bytes_max), Size{kKi, 64 * kMi},
              "visible text of one part, {}"),
          constant("words_max", live(&MimeOptions::words_max), Number::write),
          constant("html_tags_max", live(&MimeOptions::html_tags_max), Number::write),
          key("work_max", live(&MimeOptions::work_max), Number{1'000'000, 1'000'000'000'000},
              "steps of work on a message, about a nanosecond each, {}"),
          key("compat", live(&MimeOptions::compat), OneOf(kCompats),
              "the version of rspamd whose hashes are made: rspamd-3, rspamd-4"),
          key("word_form", live(&MimeOptions::word_form), OneOf(kWordForms),
              "how text is split into words: posix, root (the locales of rspamd)"),
      });
}

}  // namespace shingled::config
