#pragma once

#include <string>

#include "config/base/result.h"
#include "config/options/settings.h"
#include "config/promotions/judgements.h"

namespace shingled::config {

/// The file with what a history said of the rules: beside the history.
std::string judgement_file(const HistoryOptions& history);

/// Reads it. Without a file there are no judgements, which is no error.
/// Errors:  those of read_whole_file and judgements_of; each names the file.
/// Threads: any thread.
Result<Judgements> read_judgements(const std::string& file);

/// Puts another one in its place: there is always the old one or the new one as a whole, also after
/// a crash. It belongs to the owner of its folder.
/// Errors:  kUnavailable, kDenied ...: as FileSystem.
/// Threads: one thread at a time.
Status write_judgements(const std::string& file, const Judgements& judgements);

/// Renames a file that cannot be read, so that the next one does not overwrite it. Returns its new
/// name.
/// Errors: as FileSystem.
Result<std::string> set_aside(const std::string& file);

}  // namespace shingled::config
