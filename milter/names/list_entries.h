#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/names/name_entry.h"
#include "milter/names/name_list.h"

namespace shingled::milter::names {

// Entries of the allow and the block list, as commands and the API change them.

/// An entry with the name that its line begins with.
struct NamedEntry {
  Name name{};
  NameEntry entry;

  /// "from news@shop.example"
  [[nodiscard]] std::string text() const;
};

/// Reads "from news@shop.example" for a list of that kind.
/// Errors:  kInvalid: the first word is not a name of such a list, or the entry is wrong; says what
///          is allowed.
/// Threads: stateless.
Result<NamedEntry> parse_named_entry(ListForm::Kind kind, std::string_view text);

/// Why entries of a name do not count with these servers (counters.authserv_ids), and what to do;
/// empty if they do.
std::string missing_proof(ListForm::Kind kind, Name name,
                          std::span<const std::string> authserv_ids);

/// Whether a remark fits into a line.
bool is_reason(std::string_view text);
std::string reason_form();  ///< "at most 160 bytes in one line"

/// A line of a list that is in force; views into its text.
struct ListedEntry {
  std::size_t line = 0;  ///< from 1
  Name name{};
  std::string_view entry;
  std::string_view remark;
};
/// Calls `see` with each entry of a list.
void each_entry(std::string_view text, const ListForm& form,
                const std::function<void(const ListedEntry&)>& see);

struct AddedEntry {
  std::size_t line = 0;
  bool is_new = false;  ///< false: the entry was there, and nothing has changed
};
/// Adds an entry to a file, with the date of `now` and the reason beside it. A new file gets a head
/// that explains it.
/// Errors: those of edit_list; kLimit: too many lines.
Result<AddedEntry> add_to_list(const std::string& path, ListForm::Kind kind,
                               const NamedEntry& entry, std::string_view reason, WallTime now);

struct TakenEntry {
  std::size_t lines = 0;  ///< that are gone
  std::string remark;     ///< of the first of them
};
/// Removes all lines with one of these entries, however they are written.
/// Errors: those of edit_list; kNotFound: there is none.
Result<TakenEntry> take_from_list(const std::string& path, ListForm::Kind kind,
                                  std::span<const NamedEntry> entries);

}  // namespace shingled::milter::names
