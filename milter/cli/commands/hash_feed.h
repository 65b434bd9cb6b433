#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/base/result.h"
#include "milter/cli/output/work_meter.h"
#include "milter/cli/terminal/console.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::milter::cli {

/// What reading a source of hashes has shown.
struct FeedReport {
  std::uint64_t broken = 0;       ///< lines or rows that were left out; each was reported
  std::uint64_t lost_slots = 0;   ///< rspamd: digests whose shingles are not complete any more
  std::uint64_t lost_hashes = 0;  ///< rspamd: of these, too few for a match, now direct hashes
  bool complete = true;           ///< as many lines as the header announced
};

/// Reads hashes and gives each to `take`; what cannot be read is reported on the console with its
/// line or row, and left out. Odd times are made such that can be (storage::with_plausible_times).
///
/// `name` is a file of JSON Lines or "-", a database of shingled or one of rspamd; the content
/// tells which.
/// Memory: one line or row.
/// Errors: kNotFound, kDenied; kInvalid, kCorrupt, kLimit when it is none of these or of a newer
/// version; stopped; whatever `take` returns.
Result<FeedReport> feed_hashes(const std::string& name,
                               const std::function<Status(const storage::sqlite::FuzzyRow&)>& take,
                               std::uint32_t now, WorkMeter& meter, Console& console);

}  // namespace shingled::milter::cli
