#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::transfer {

/// Counts of reading a source of hashes.
struct FeedReport {
  std::uint64_t broken = 0;       ///< lines or rows that were left out; each was reported
  std::uint64_t lost_slots = 0;   ///< rspamd: digests whose shingles are not complete any more
  std::uint64_t lost_hashes = 0;  ///< rspamd: of these, too few for a match, now direct hashes
  bool complete = true;           ///< as many lines as the header announced
};

/// Gets what was left out, and why: "FILE:12", "longer than 64 KiB".
using Complain = std::function<void(const std::string& where, std::string_view why)>;

/// Reads hashes and gives each to `take`. Entries that cannot be read go to
/// `complain` with their line or row, and are left out. Implausible times are corrected
/// (storage::with_plausible_times).
///
/// `name` is a file of JSON Lines or "-", a database of shingled or of rspamd; the content tells
/// which.
/// Memory: one line or row.
/// Errors: kNotFound, kDenied; kInvalid, kCorrupt, kLimit for another format or a newer version;
/// stopped; any error of `take`.
Result<FeedReport> feed_hashes(const std::string& name,
                               const std::function<Status(const storage::sqlite::FuzzyRow&)>& take,
                               std::uint32_t now, const storage::Watcher& watcher,
                               const Complain& complain);

}  // namespace shingled::milter::transfer
