#include "milter/reports/residence.h"

#include <set>
#include <vector>

#include "storage/counters/addition.h"

namespace shingled::milter::reports {

using storage::counters::Day;
using storage::counters::Entry;
using storage::counters::Measure;

bool is_resident(std::span<const Entry> entries, Day today) {
  std::set<Day> days;
  for (const Entry& entry : entries) {
    if (entry.amounts.of(Measure::kHam) == 0) continue;
    const Day day = day_of(entry);
    if (day <= today && today - day < kResidenceWindow) days.insert(day);
  }
  return days.size() >= kResidenceDays;
}

std::optional<bool> Residence::ask(storage::counters::CounterStore& store,
                                   const CounterKeyBytes& site,
                                   std::span<const std::string> addresses, TimePoint deadline) {
  const std::string& mailbox = addresses.back();
  const Day today = storage::counters::day_of(store.present_slot());
  if (const auto known = known_.find(mailbox); known != known_.end() && known->second.day == today)
    return known->second.resident;
  std::vector<Entry> all;
  for (const std::string& address : addresses) {
    if (address.find('@') == std::string::npos) continue;
    const auto entries =
        store.series(storage::counters::counter_of(site, storage::counters::Direction::kIn,
                                                   PieceType::kRecipient, address),
                     deadline);
    if (!entries) return std::nullopt;
    all.insert(all.end(), entries->begin(), entries->end());
  }
  if (known_.size() >= kKnownMax) known_.clear();
  const bool resident = is_resident(all, today);
  known_[mailbox] = {today, resident};
  return resident;
}

}  // namespace shingled::milter::reports
