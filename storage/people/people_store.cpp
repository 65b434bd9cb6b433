#include "storage/people/people_store.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace shingled::storage::people {

std::uint64_t sign_of(const counters::CounterKey& key, bool proved) {
  // The shingle is a keyed hash already; the rest only has to make others of it.
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::uint64_t space = std::uint64_t{key.tag()} << 1U | (proved ? 1U : 0U);
  return key.shingle ^ (space + 1) * kOdd;
}

namespace {

using counters::Period;
using counters::slot_of;
using counters::Window;

bool is_in(const Voice& voice, const Window& window, counters::Slot present) {
  // What was said by a clock that was ahead counts as said now.
  const counters::Slot slot =
      std::min(slot_of(WallTime(std::chrono::seconds(voice.time))), present);
  const bool days = window.unit == Period::Unit::kDay;
  const std::uint32_t age =
      days ? counters::day_of(present) - counters::day_of(slot) : present - slot;
  return age >= window.skipped && age - window.skipped < window.count;
}

/// One side of those who said something.
struct Side {
  std::uint64_t of_standing = 0;
  std::uint64_t newcomers = 0;
  std::uint64_t own = 0;

  void add(const Voice& voice, bool is_recipient, const Weights& weights) {
    own += is_recipient ? 1 : 0;
    switch (voice.standing) {
      case Standing::kNewcomer:
        ++newcomers;
        break;
      case Standing::kResident:
        ++of_standing;
        break;
      case Standing::kTrusted:
        of_standing += weights.trusted;
        break;
    }
  }
  /// As how many people this side counts.
  [[nodiscard]] std::uint64_t against(const Side& other, const Weights& weights) const {
    if (of_standing > 0 || other.of_standing > 0) return of_standing;
    const bool speak = newcomers > 0 && newcomers >= other.newcomers && weights.newcomers_speak;
    return speak ? 1 : 0;
  }
};

}  // namespace

void sum_voices(std::span<const Voice> voices, std::span<const Window> windows, WallTime now,
                std::span<const std::uint64_t> recipients, const Weights& weights,
                std::span<PeopleSums> sums) {
  if (voices.empty()) return;
  std::vector<Voice> sorted(voices.begin(), voices.end());
  // Of each person the newest first; the worse one of two at the same second.
  std::ranges::sort(sorted, [](const Voice& a, const Voice& b) {
    if (a.person != b.person) return a.person < b.person;
    if (a.time != b.time) return a.time > b.time;
    return a.kind > b.kind;
  });
  const counters::Slot present = slot_of(now);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    PeopleSums& out = sums[i];
    Side spam;
    Side wanted;
    const Voice* last = nullptr;
    for (const Voice& voice : sorted) {
      if (!is_in(voice, windows[i], present)) continue;
      const bool is_spam = voice.kind == ReportKind::kSpam;
      ++(is_spam ? out.complaints : out.rescues);
      if (last != nullptr && last->person == voice.person) continue;
      last = &voice;
      const bool is_recipient = std::ranges::binary_search(recipients, voice.person);
      (is_spam ? spam : wanted).add(voice, is_recipient, weights);
    }
    out.complainers = spam.against(wanted, weights);
    out.rescuers = wanted.against(spam, weights);
    out.own_complaint = spam.own;
    out.own_rescue = wanted.own;
  }
}

}  // namespace shingled::storage::people
