#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "storage/counters/sealed/sealed_file.h"
#include "storage/counters/timekeeper.h"

namespace shingled::storage::counters {

/// What a merge does with old periods.
struct MergeRules {
  Slot slots_from = 0;   ///< entries of older slots become part of their day
  Day days_from = 0;     ///< entries of older days are left out
  Day singles_from = 0;  ///< of older days, entries with mass 1 or less are left out
};

/// What is too old at the present time of the counters.
MergeRules rules_now(CounterClock& time);

/// Whether what input number `place` has of a counter does not count.
using LeavesOut = std::function<bool(std::size_t place, const CounterKey& key)>;

/// Writes the rows of some files into one, each counter once. `leaves_out` may be empty.
/// `meanwhile` is called every few thousand rows, for work that should not wait. With `lost`, what
/// is damaged is left out, and its shingles are put there.
/// Errors:  those of SealedFile, SealedWriter and `meanwhile`; kTimeout if `stop` was requested.
/// Threads: any thread.
/// Cost:    about 100 ns a row.
Result<SealedFooter> merge_files(FileSystem& files, std::span<const SealedFile* const> inputs,
                                 const std::string& name, const MergeRules& rules,
                                 const std::stop_token& stop, const LeavesOut& leaves_out = {},
                                 const std::function<Status()>& meanwhile = {},
                                 std::vector<ShingleRange>* lost = nullptr);

/// The entries of one counter after the rules: sorted, maybe none.
std::vector<Entry> apply_rules(PieceType type, std::span<const Entry> entries,
                               const MergeRules& rules);

/// Which files to merge next: places in `bytes`, which has the size of each file; empty if that is
/// not worth it. The smallest files are merged with each larger one that has at most twice the
/// bytes of all before it. So a look-up asks four or five files, seven at most, and a counter is
/// written ten times; by four files of a size it would be nine files (17 at most) and six times
/// (simulated, 3000 files).
std::vector<std::size_t> files_to_merge(std::span<const std::uint64_t> bytes);

}  // namespace shingled::storage::counters
