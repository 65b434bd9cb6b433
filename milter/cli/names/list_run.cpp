#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "config/base/clock.h"
#include "config/system/whole_file.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/names/named_entry.h"
#include "milter/names/list_entries.h"
#include "milter/names/list_evidence.h"
#include "milter/names/list_files.h"

namespace shingled::milter::cli {

namespace {

using names::ListForm;

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

int failed(const ListArgumentsOfNames& arguments, const Error& error, Console& console) {
  console.error(arguments.word(), terminal_safe(error.message));
  return database_exit_code(error);
}

}  // namespace

int run_list_add(const ListArgumentsOfNames& arguments, Console& console) {
  const auto entry = entry_of(arguments.entry);
  if (!entry || !names::is_reason(arguments.reason)) {
    console.error(arguments.word(), terminal_safe(!entry ? entry.error().message
                                                         : "--reason: " + names::reason_form()));
    return EX_USAGE;
  }
  const auto settings = arguments.settings.load(console);
  if (settings == nullptr) return EX_CONFIG;
  const std::string* const path = file_of(arguments, *settings, console);
  if (path == nullptr) return EX_CONFIG;
  const auto added =
      names::add_to_list(*path, arguments.kind, *entry, arguments.reason, SystemClock().wall());
  if (!added) return failed(arguments, added.error(), console);
  console.line(terminal_safe(added->is_new ? fmt::format("added to {}: {}", *path, entry->text())
                                           : fmt::format("{} is there already: line {} of {}",
                                                         entry->text(), added->line, *path)));
  const std::string missing =
      names::missing_proof(arguments.kind, entry->name, settings->counters.pieces.authserv_ids);
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
  // A line that was written by hand may be for the domain alone.
  std::vector<names::NamedEntry> meant = {*entry, *entry};
  if (entry->entry.text.starts_with('.') && !arguments.entry.domain.starts_with('.') &&
      !arguments.entry.dkim.starts_with('.'))
    meant[1].entry.text.erase(0, 1);
  const auto taken = names::take_from_list(*path, arguments.kind, meant);
  if (!taken) return failed(arguments, taken.error(), console);
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
  names::each_entry(text, form, [&](const names::ListedEntry& listed) {
    const std::string name(features::row_of(listed.name).word);
    unproved = unproved || !names::missing_proof(arguments.kind, listed.name,
                                                 settings->counters.pieces.authserv_ids)
                                .empty();
    if (arguments.json) {
      console.json({{"name", name},
                    {"entry", std::string(listed.entry)},
                    {"remark", std::string(listed.remark)},
                    {"line", listed.line}});
    } else {
      rows.push_back({std::to_string(listed.line), name, terminal_safe(listed.entry),
                      terminal_safe(listed.remark)});
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
