#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/clock.h"
#include "config/system/whole_file.h"
#include "milter/cli/names/list_editor.h"
#include "milter/cli/names/named_entry.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/cli/terminal/terminal_text.h"
#include "milter/names/list_evidence.h"
#include "milter/names/list_files.h"

namespace shingled::milter::cli {

namespace {

using names::ListForm;
using names::ListLine;

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

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(SystemClock().wall());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

/// The list that the settings name; tells the user if there is none.
const std::string* file_of(const ListArgumentsOfNames& arguments, const Settings& settings,
                           Console& console) {
  const bool allow = arguments.kind == ListForm::Kind::kAllow;
  const std::string& path = allow ? settings.policy.allow_file : settings.policy.block_file;
  if (!path.empty()) return &path;
  console.error(arguments.word(),
                fmt::format("policy.{}_file is \"\": there is no such list", arguments.word()));
  return nullptr;
}

/// Calls `see` with each line, without its end, and its number.
template <typename See>
void for_each_line(std::string_view text, See see) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    see(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Whether a line is this entry, however it is written.
bool is_entry(std::string_view line, const NamedEntry& wanted, const ListForm& form) {
  const ListLine read = names::split_line(line, form);
  if (read.name != wanted.name) return false;
  const auto entry = names::read_name_entry(features::row_of(wanted.name), read.entry);
  return entry && entry->text == wanted.entry.text;
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; });
}

int failed(const ListArgumentsOfNames& arguments, const Error& error, Console& console) {
  console.error(arguments.word(), terminal_safe(error.message));
  return database_exit_code(error);
}

}  // namespace

int run_list_add(const ListArgumentsOfNames& arguments, Console& console) {
  const auto entry = entry_of(arguments.entry);
  const bool bad_reason =
      arguments.reason.size() > kReasonBytesMax || has_control(arguments.reason);
  if (!entry || bad_reason) {
    console.error(arguments.word(),
                  terminal_safe(!entry ? entry.error().message
                                       : fmt::format("--reason: at most {} bytes in one line",
                                                     kReasonBytesMax)));
    return EX_USAGE;
  }
  const auto settings = arguments.settings.load(console);
  if (settings == nullptr) return EX_CONFIG;
  const std::string* const path = file_of(arguments, *settings, console);
  if (path == nullptr) return EX_CONFIG;
  const ListForm form{arguments.kind, {}};
  std::size_t known = 0;
  const Status done = edit_list(*path, [&](std::string text) -> Result<std::string> {
    std::size_t lines = 0;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
      lines = number;
      if (known == 0 && is_entry(line, *entry, form)) known = number;
    });
    if (known > 0) return text;
    if (lines >= names::kListEntriesMax)
      return Error{ErrorCode::kLimit, *path + ": has a million lines"};
    if (text.empty()) text = arguments.kind == ListForm::Kind::kAllow ? kAllowHead : kBlockHead;
    if (!text.ends_with('\n')) text += '\n';
    text += fmt::format("{}  # {}{}{}\n", entry->text(), today(),
                        arguments.reason.empty() ? "" : " ", arguments.reason);
    return text;
  });
  if (!done) return failed(arguments, done.error(), console);
  console.line(terminal_safe(
      known > 0 ? fmt::format("{} is there already: line {} of {}", entry->text(), known, *path)
                : fmt::format("added to {}: {}", *path, entry->text())));
  const std::string missing = missing_proof(arguments.kind, entry->name, *settings);
  if (!missing.empty()) console.note(missing);
  return EX_OK;
}

int run_list_del(const ListArgumentsOfNames& arguments, Console& console) {
  const auto entry = entry_of(arguments.entry);
  if (!entry) {
    console.error(arguments.word(), terminal_safe(entry.error().message));
    return EX_USAGE;
  }
  const auto settings = arguments.settings.load(console);
  if (settings == nullptr) return EX_CONFIG;
  const std::string* const path = file_of(arguments, *settings, console);
  if (path == nullptr) return EX_CONFIG;
  const ListForm form{arguments.kind, {}};
  // A line that was written by hand may be for the domain alone.
  NamedEntry exact = *entry;
  if (exact.entry.text.starts_with('.') && !arguments.entry.domain.starts_with('.') &&
      !arguments.entry.dkim.starts_with('.'))
    exact.entry.text.erase(0, 1);
  std::size_t gone = 0;
  const Status done = edit_list(*path, [&](const std::string& text) -> Result<std::string> {
    std::string kept;
    for_each_line(text, [&](std::string_view line, std::size_t /*number*/) {
      if (is_entry(line, *entry, form) || is_entry(line, exact, form)) {
        ++gone;
      } else {
        kept.append(line) += '\n';
      }
    });
    if (gone == 0)
      return Error{ErrorCode::kNotFound, fmt::format("{}: has no entry {}", *path, entry->text())};
    return kept;
  });
  if (!done) return failed(arguments, done.error(), console);
  console.line(terminal_safe(fmt::format("taken from {}: {}", *path, entry->text())));
  return EX_OK;
}

int run_list_show(const ListArgumentsOfNames& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (settings == nullptr) return EX_CONFIG;
  const std::string* const path = file_of(arguments, *settings, console);
  if (path == nullptr) return EX_CONFIG;
  const auto file = read_whole_file(*path, names::kListBytesMax);
  if (!file && file.error().code != ErrorCode::kNotFound)
    return failed(arguments, file.error(), console);
  const std::string text = file ? file->text : std::string();
  const ListForm form{arguments.kind, {}};
  std::vector<TableRow> rows;
  bool unproved = false;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    const ListLine read = names::split_line(line, form);
    if (!read.name || !names::read_name_entry(features::row_of(*read.name), read.entry)) return;
    unproved = unproved || !missing_proof(arguments.kind, *read.name, *settings).empty();
    const std::string name(features::row_of(*read.name).word);
    if (arguments.json) {
      console.json({{"name", name},
                    {"entry", std::string(read.entry)},
                    {"remark", std::string(read.remark)},
                    {"line", number}});
    } else {
      rows.push_back(
          {std::to_string(number), name, terminal_safe(read.entry), terminal_safe(read.remark)});
    }
  });
  print_table(rows, "", console);
  if (!arguments.json && rows.empty()) console.line("no entry in " + *path);
  const names::NameList list(text, form);
  for (const names::ListProblem& problem : list.problems())
    console.note(terminal_safe(
        fmt::format("{}:{}: {}; the line is left out", *path, problem.line, problem.what)));
  if (unproved) {
    console.note(
        "entries for From, List-Id and DKIM do not work yet: counters.authserv_ids is empty");
  }
  return EX_OK;
}

}  // namespace shingled::milter::cli
