#include "milter/reports/wanted_mail.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "config/base/hex.h"
#include "storage/counters/addition.h"
#include "storage/people/people_store.h"

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

using storage::counters::CounterKey;
using storage::counters::Direction;
using storage::counters::Period;

namespace {

constexpr std::array<PieceType, 2> kFileTypes = {PieceType::kAttachment, PieceType::kImage};

CounterKey key_of(const FileKnowledge& known, PieceType type, const Digest& file) {
  return storage::counters::counter_of(known.site, Direction::kIn, type, to_hex(file.bytes));
}

/// Those of the files of which much wanted mail was counted.
std::vector<std::pair<Digest, CounterKey>> frequent(const std::set<Digest>& files,
                                                    const FileKnowledge& known) {
  constexpr storage::counters::Window kWindow{Period::Unit::kDay, kWantedFileWindow, 0};
  std::vector<std::pair<Digest, CounterKey>> asked;
  std::vector<CounterKey> keys;
  for (const Digest& file : files) {
    for (const PieceType type : kFileTypes) {
      keys.push_back(key_of(known, type, file));
      asked.emplace_back(file, keys.back());
    }
  }
  const auto answers = known.counters.ask(keys, std::span(&kWindow, 1), known.deadline);
  std::vector<std::pair<Digest, CounterKey>> out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (answers.is_known(i, 0) && answers.of(i, 0).of(Measure::kHam) >= kWantedFileMails)
      out.push_back(asked[i]);
  }
  return out;
}

/// Whether somebody of standing complained of a file, in mail of whomever.
bool has_complaint(const CounterKey& key, const FileKnowledge& known) {
  if (known.people == nullptr) return false;
  const std::array<std::uint64_t, 2> signs = {storage::people::sign_of(key, false),
                                              storage::people::sign_of(key, true)};
  const auto voices = known.people->ask(signs, known.deadline);
  if (!voices) return true;
  return std::ranges::any_of(*voices, [](const storage::people::Voices& of_sign) {
    return std::ranges::any_of(of_sign, [](const storage::people::Voice& voice) {
      return voice.kind == storage::sqlite::ReportKind::kSpam &&
             voice.standing != storage::people::Standing::kNewcomer;
    });
  });
}

}  // namespace

bool is_wanted_file(std::span<const Entry> entries, Day today) {
  std::set<Day> days;
  std::uint64_t ham = 0;
  std::uint64_t spam = 0;
  for (const Entry& entry : entries) {
    const Day day = day_of(entry);
    if (day > today || today - day >= kWantedFileWindow) continue;
    ham += entry.amounts.of(Measure::kHam);
    spam += entry.amounts.of(Measure::kSpam);
    if (entry.amounts.of(Measure::kHam) > 0) days.insert(day);
  }
  return days.size() >= kWantedFileDays && ham >= kWantedFileMails &&
         ham >= kWantedFileMails * spam;
}

std::set<Digest> wanted_files(const ReportedMessage& message, const FileKnowledge& known) {
  std::set<Digest> out;
  if (message.files.empty()) return out;
  const Day today = storage::counters::day_of(known.counters.present_slot());
  for (const auto& [file, key] : frequent(message.files, known)) {
    const auto entries = known.counters.series(key, known.deadline);
    if (entries && is_wanted_file(*entries, today) && !has_complaint(key, known)) out.insert(file);
  }
  const bool has_more = std::ranges::any_of(
      message.hashes, [&](const auto& hash) { return !out.contains(hash.fingerprint.digest); });
  if (!has_more) out.clear();
  return out;
}

void leave_out(const std::set<Digest>& files, const CounterKeyBytes& site,
               ReportedMessage& message) {
  if (files.empty()) return;
  std::erase_if(message.hashes,
                [&](const auto& hash) { return files.contains(hash.fingerprint.digest); });
  std::set<CounterKey> keys;
  for (const Digest& file : files) {
    for (const PieceType type : kFileTypes)
      keys.insert(storage::counters::counter_of(site, message.direction, type, to_hex(file.bytes)));
  }
  std::erase_if(message.keys, [&](const auto& key) { return keys.contains(key.key); });
}

}  // namespace shingled::milter::reports
