#include "config/sections/sections.h"

namespace shingled::config {

namespace {
constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::array<Choice<Compat>, 2> kCompats = {
    {{"rspamd-3", Compat::kRspamd3}, {"rspamd-4", Compat::kRspamd4}}};
constexpr std::array<Choice<WordForm>, 2> kWordForms = {
    {{"posix", WordForm::kPosix}, {"root", WordForm::kRoot}}};
}  // namespace

void load_mime(Section&& section, MimeOptions& out) {
  section.number<std::uint32_t>("depth_max", out.depth_max, {1, 1000});
  section.number<std::uint32_t>("parts_max", out.parts_max, {1, 1'000'000});
  section.size("header_bytes_max", out.header_bytes_max, {kKiB, 16 * kMiB});
  section.size("header_line_bytes_max", out.header_line_bytes_max, {kKiB, kMiB});
  section.size("part_bytes_max", out.part_bytes_max, {kKiB, 1024 * kMiB});
  section.size("text_bytes_max", out.text_bytes_max, {kKiB, 64 * kMiB});
  section.number<std::uint32_t>("words_max", out.words_max, {32, 10'000'000});
  section.number<std::uint32_t>("html_tags_max", out.html_tags_max, {1, 1'000'000});
  section.number<std::uint64_t>("work_max", out.work_max, {1'000'000, 1'000'000'000'000});
  section.choice<Compat>("compat", out.compat, kCompats);
  section.choice<WordForm>("word_form", out.word_form, kWordForms);
}

}  // namespace shingled::config
