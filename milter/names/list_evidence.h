#pragma once

#include <string_view>
#include <vector>

#include "config/options/policy_options.h"
#include "milter/names/list_files.h"
#include "milter/rules/evidence.h"

namespace shingled::milter::names {

/// The allow and the block list.
inline constexpr rules::Source kListSource = {
    .key = "lists", .title = "allow and block lists", .unit = "entries", .separator = " | "};

// Symbols of its evidence.
inline constexpr std::string_view kAllowSymbol = "ALLOW_LIST";       ///< passes, whatever the score
inline constexpr std::string_view kDeliverSymbol = "ALLOW_LIST_TO";  ///< is marked at most
inline constexpr std::string_view kBlockSymbol = "BLOCK_LIST";

/// The files of both lists, as far as they are set.
std::vector<ListFile> list_files_of(const PolicyOptions& options);

/// Whether one of the lists has an entry, so that the names of a message matter.
bool has_entries(const Lists& lists, const PolicyOptions& options);

/// Which names of a message are on the lists. Of each list the first entry that decides counts. An
/// allowed message is not blocked: the entry of the block list is only shown.
///
/// An entry of the allow list counts for From, its domain, a DKIM domain and a List-Id only if they
/// are proved. An entry of the block list counts for what a message says of itself, too: nobody
/// forges what is blocked.
/// Threads: stateless.
rules::Findings list_findings(const Lists& lists, const PolicyOptions& options,
                              const features::MessageNames& names);

/// The name of a message that lines of a name in the list are compared with.
Name compared_name(ListForm::Kind kind, Name of_line);

}  // namespace shingled::milter::names
