#pragma once

#include <cstdint>
#include <span>

#include "config/base/result.h"
#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/report_table.h"

namespace shingled::milter::reports {

/// The weight of a hash on its list, whoever put it there; 0 if it is not on it.
/// `now`: Unix seconds.
std::int32_t stored_weight(const storage::FuzzyStore& store,
                           const storage::sqlite::ReportedHash& hash, std::uint32_t now);

/// Brings the storage from what reports taught to what they should have taught. What others taught
/// stays: less is taken off if less is left, and a hash that nobody else taught is deleted from the
/// list again.
/// Errors: that of an update; others may have been made.
/// Threads: waits for the storage, at most 20 s for each update.
Status teach(storage::FuzzyStore& store, std::span<const storage::sqlite::HashChange> changes);

}  // namespace shingled::milter::reports
