#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>

#include "config/base/clock.h"
#include "milter/reports/reported_message.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/counters/counter_store.h"
#include "storage/people/people_store.h"

namespace shingled::milter::reports {

/// Wanted mail with a file came on so many different days of the last kWantedFileWindow, today
/// included, in at least kWantedFileMails messages, and with at most one message of spam to
/// kWantedFileMails of them. Somebody who wants to protect a file before a campaign must send it on
/// three days to people of whom nobody complains.
inline constexpr std::size_t kWantedFileDays = 3;
inline constexpr std::uint64_t kWantedFileMails = 10;
inline constexpr std::uint32_t kWantedFileWindow = 14;

/// Whether the entries of the counter of a file are those of one that wanted mail carries: a
/// letterhead, a brochure, terms of business. Pure.
bool is_wanted_file(std::span<const storage::counters::Entry> entries,
                    storage::counters::Day today);

/// What knows the files of a site.
struct FileKnowledge {
  storage::counters::CounterStore& counters;
  storage::people::PeopleStore* people = nullptr;  ///< null: nobody complained
  const CounterKeyBytes& site;
  TimePoint deadline;
};

/// The files of a message that wanted mail carries, too, and of which nobody of standing ever
/// complained. A message that has nothing else to teach is the file itself: then there are none,
/// and none where nothing is known.
/// Cost: one question for all files, and a series for each that much wanted mail has.
std::set<Digest> wanted_files(const ReportedMessage& message, const FileKnowledge& known);

/// Leaves files out of what a message teaches and of what is said about it.
void leave_out(const std::set<Digest>& files, ReportedMessage& message);

}  // namespace shingled::milter::reports
