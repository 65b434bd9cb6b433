#pragma once

#include <string>

#include "config/base/result.h"
#include "milter/cli/names/list_commands.h"
#include "milter/names/name_entry.h"

namespace shingled::milter::cli {

/// An entry with the name that its line begins with.
struct NamedEntry {
  names::Name name{};
  names::NameEntry entry;

  /// "from news@shop.example"
  [[nodiscard]] std::string text() const;
};

/// A domain stands for all below it, too, as people expect it to: newsletters come from
/// news.shop.example. Who wants one domain alone writes the line himself, without the dot.
/// Errors: kInvalid: none or several options, or an entry that is wrong.
Result<NamedEntry> entry_of(const EntryArguments& arguments);

/// Why entries of a name do not count with these settings, and what to do; empty if they do.
std::string missing_proof(names::ListForm::Kind kind, names::Name name, const Settings& settings);

}  // namespace shingled::milter::cli
