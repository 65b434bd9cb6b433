#include "milter/names/list_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "config/base/ascii.h"
#include "milter/names/list_editor.h"
#include "milter/names/list_evidence.h"

namespace shingled::milter::names {

namespace {

constexpr std::size_t kReasonBytesMax = 160;

constexpr std::string_view kAllowHead =
    "# Mail that passes whatever its score is. One entry per line: NAME ENTRY # remark\n"
    "#   from news@shop.example     from_domain .shop.example (it and all below)\n"
    "#   list_id news.shop.example  client 192.0.2.0/24   dkim_domain .shop.example\n"
    "#   recipient abuse@           mail to it is never refused, only marked\n"
    "# The daemon reads it again when it changes. shingled(8), shingled allow --help\n";
constexpr std::string_view kBlockHead =
    "# Mail that is refused (policy.block_action). One entry per line: NAME ENTRY # remark\n"
    "#   from news@shop.example     from_domain .shop.example (it and all below)\n"
    "#   list_id news.shop.example  client 192.0.2.0/24   dkim_domain .shop.example\n"
    "# The daemon reads it again when it changes. shingled(8), shingled block --help\n";

std::string date_of(WallTime now) {
  const std::time_t time = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

/// Calls `see` with each line, without its end, and its number.
template <typename See>
void each_line(std::string_view text, See see) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    see(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Whether a line is this entry, however it is written.
bool is_entry(std::string_view line, const NamedEntry& wanted, const ListForm& form) {
  const ListLine read = split_line(line, form);
  if (read.name != wanted.name) return false;
  const auto entry = read_name_entry(features::row_of(wanted.name), read.entry);
  return entry && entry->text == wanted.entry.text;
}

/// "from, from_domain or list_id"
std::string first_words(ListForm::Kind kind) {
  std::string out;
  const std::vector<Name> all = names_of({kind, {}});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) out += i + 1 == all.size() ? " or " : ", ";
    out += features::row_of(all[i]).word;
  }
  return out;
}

}  // namespace

std::string NamedEntry::text() const {
  return fmt::format("{} {}", features::row_of(name).word, entry.text);
}

Result<NamedEntry> parse_named_entry(ListForm::Kind kind, std::string_view text) {
  text = ascii::trim_space(text);
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return Error{ErrorCode::kInvalid, "an entry is one line, without control characters"};
  const std::size_t space = std::min(text.find(' '), text.size());
  const NameRow* const row = features::find_name(text.substr(0, space));
  const std::vector<Name> all = names_of({kind, {}});
  if (row == nullptr || std::ranges::find(all, row->name) == all.end()) {
    return Error{
        ErrorCode::kInvalid,
        fmt::format("an entry begins with {}, as in '{} {}'", first_words(kind),
                    features::row_of(all.front()).word, features::row_of(all.front()).example)};
  }
  auto entry = read_name_entry(*row, ascii::trim_space(text.substr(space)));
  if (!entry) return entry.error().in(std::string(row->word));
  NamedEntry out{row->name, *std::move(entry)};
  if (!is_entry(out.text(), out, {kind, {}}))
    return Error{ErrorCode::kInvalid, "an entry has no remark; give it apart"};
  return out;
}

std::string missing_proof(ListForm::Kind kind, Name name,
                          std::span<const std::string> authserv_ids) {
  if (!authserv_ids.empty()) return {};
  const Name compared = compared_name(kind, name);
  const bool proof = compared == Name::kFrom || compared == Name::kFromDomain ||
                     compared == Name::kProvedListId || compared == Name::kDkimDomain;
  if (!proof) return {};
  return fmt::format(
      "this entry does not work yet: '{}' counts only when it is proved, and no server is named "
      "in counters.authserv_ids. Let a filter before this one check DKIM, SPF and DMARC (OpenDKIM, "
      "OpenDMARC, rspamd), and name it as it writes itself in Authentication-Results: "
      "authserv_ids: [mx.example.org]. Without it use --client",
      features::row_of(name).word);
}

bool is_reason(std::string_view text) {
  return text.size() <= kReasonBytesMax && std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == '\x7F';
         });
}

std::string reason_form() { return fmt::format("at most {} bytes in one line", kReasonBytesMax); }

void each_entry(std::string_view text, const ListForm& form,
                const std::function<void(const ListedEntry&)>& see) {
  each_line(text, [&](std::string_view line, std::size_t number) {
    const ListLine read = split_line(line, form);
    if (!read.name || !read_name_entry(features::row_of(*read.name), read.entry)) return;
    see({number, *read.name, read.entry, read.remark});
  });
}

Result<AddedEntry> add_to_list(const std::string& path, ListForm::Kind kind,
                               const NamedEntry& entry, std::string_view reason, WallTime now) {
  AddedEntry out;
  const ListForm form{kind, {}};
  const Status done = edit_list(path, [&](std::string text) -> Result<std::string> {
    std::size_t lines = 0;
    each_line(text, [&](std::string_view line, std::size_t number) {
      lines = number;
      if (out.line == 0 && is_entry(line, entry, form)) out.line = number;
    });
    out.is_new = out.line == 0;
    if (!out.is_new) return text;
    if (lines >= kListEntriesMax) return Error{ErrorCode::kLimit, path + ": has a million lines"};
    if (text.empty()) text = kind == ListForm::Kind::kAllow ? kAllowHead : kBlockHead;
    if (!text.ends_with('\n')) text += '\n';
    out.line = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    text += fmt::format("{}  # {}{}{}\n", entry.text(), date_of(now), reason.empty() ? "" : " ",
                        reason);
    return text;
  });
  if (!done) return done.error();
  return out;
}

Result<TakenEntry> take_from_list(const std::string& path, ListForm::Kind kind,
                                  std::span<const NamedEntry> entries) {
  TakenEntry out;
  const ListForm form{kind, {}};
  const Status done = edit_list(path, [&](const std::string& text) -> Result<std::string> {
    std::string kept;
    each_line(text, [&](std::string_view line, std::size_t /*number*/) {
      const bool goes = std::ranges::any_of(
          entries, [&](const NamedEntry& entry) { return is_entry(line, entry, form); });
      if (!goes) {
        kept.append(line) += '\n';
      } else if (++out.lines == 1) {
        out.remark = split_line(line, form).remark;
      }
    });
    if (out.lines == 0) {
      return Error{ErrorCode::kNotFound, fmt::format("{}: has no entry {}", path,
                                                     entries.empty() ? "" : entries[0].text())};
    }
    return kept;
  });
  if (!done) return done.error();
  return out;
}

}  // namespace shingled::milter::names
