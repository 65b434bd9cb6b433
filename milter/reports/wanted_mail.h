#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "config/base/clock.h"
#include "milter/reports/reported_message.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/counters/counter_store.h"
#include "storage/people/people_store.h"

namespace shingled::milter::reports {

/// On so many different days of the last kResidenceWindow a resident got wanted mail, today
/// included. A name that somebody made up got none.
inline constexpr std::size_t kResidenceDays = 5;
inline constexpr std::uint32_t kResidenceWindow = 14;

/// Whether the entries of the counter of a recipient are those of a resident. Pure.
bool is_resident(std::span<const storage::counters::Entry> entries, storage::counters::Day today);

/// Asks the counters whether a mailbox gets wanted mail here: once a day for a mailbox.
/// Threads: one thread at a time.
class Residence {
 public:
  static constexpr std::size_t kKnownMax = 10'000;

  /// Mail to each of these addresses comes to the mailbox (mailbox_names.h); the last one is its
  /// own. One that is no address is nobody's. nullopt: the counters cannot be read.
  std::optional<bool> ask(storage::counters::CounterStore& store, const CounterKeyBytes& site,
                          std::span<const std::string> addresses, TimePoint deadline);

 private:
  struct Answer {
    storage::counters::Day day = 0;
    bool resident = false;
  };
  std::map<std::string, Answer> known_;
};

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
void leave_out(const std::set<Digest>& files, const CounterKeyBytes& site,
               ReportedMessage& message);

}  // namespace shingled::milter::reports
