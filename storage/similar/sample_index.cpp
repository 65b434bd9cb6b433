#ifdef __GLIBC__
#endif

#include "storage/similar/sample_index.h"

#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/base/best.h"
#include "mime/fingerprint/spamsum_compare.h"

namespace shingled::storage::similar {

namespace {

constexpr std::uint32_t kSparseMin = 4096;  // with fewer empty slots a new index is not worth it

/// A sample and its score or number of shared grams.
struct RankedSlot {
  unsigned worth = 0;
  std::uint32_t at = 0;
};

}  // namespace

/// A set of slots that are visited in rising order. It is a list while there are few slots, then a
/// bit map.
/// Memory: at most 256 KB and one bit per slot.
/// Threads: one thread.
class SampleIndex::SlotSet {
 public:
  explicit SlotSet(std::uint32_t slots) : slots_(slots) {}

  void add(std::uint32_t slot) {
    if (bits_.empty()) {
      few_.push_back(slot);
      if (few_.size() > kFewMax) spread();
    } else {
      bits_[slot / 64] |= std::uint64_t{1} << slot % 64;
    }
  }

  template <typename Visit>
  void each(Visit&& visit) {
    std::ranges::sort(few_);
    few_.erase(std::unique(few_.begin(), few_.end()), few_.end());
    for (const std::uint32_t slot : few_) visit(slot);
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      for (std::uint64_t word = bits_[i]; word != 0; word &= word - 1)
        visit(
            static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }

 private:
  static constexpr std::size_t kFewMax = 32'768;

  void spread() {
    bits_.assign(slots_ / 64 + 1, 0);
    for (const std::uint32_t slot : few_) bits_[slot / 64] |= std::uint64_t{1} << slot % 64;
    few_ = std::vector<std::uint32_t>();  // frees the memory
  }

  std::uint32_t slots_;
  std::vector<std::uint32_t> few_;
  std::vector<std::uint64_t> bits_;
};

SampleIndex::SampleIndex(Options options)
    : options_(options),
      table_(options.exact ? SampleTable::Signatures::kKept : SampleTable::Signatures::kLeftOut) {}

void SampleIndex::put(const Sample& sample, PutGrams put_grams) {
  const std::uint32_t slot = table_.add(sample);
  if (options_.exact) {
    fingerprint::spamsum_keys(sample.signature, keys_);
    (exact_.*put_grams)(slot, keys_);
  }
  if (options_.parts) {
    fingerprint::part_keys(sample.parts, keys_);
    (parts_.*put_grams)(slot, keys_);
  }
}

void SampleIndex::add(const Sample& sample) { put(sample, &GramIndex::add); }

void SampleIndex::load(const Sample& sample) { put(sample, &GramIndex::load); }

bool SampleIndex::remove(std::uint64_t id) { return table_.remove(id); }

bool SampleIndex::is_sparse() const {
  const std::uint32_t empty = table_.slots() - table_.samples();
  return empty > kSparseMin && empty > table_.samples();
}

std::optional<SampleIndex::Merge> SampleIndex::next_merge(GramIndex::Which which) const {
  if (const auto segment = exact_.to_merge(which))
    return Merge{true, *segment, exact_.merged(*segment, table_.filled())};
  if (const auto segment = parts_.to_merge(which))
    return Merge{false, *segment, parts_.merged(*segment, table_.filled())};
  return {};
}

void SampleIndex::apply(Merge merge) {
  GramIndex& index = merge.exact ? exact_ : parts_;
  index.replace(merge.segment, std::move(merge.packed));
}

void SampleIndex::settle() {
  while (auto merge = next_merge(GramIndex::Which::kAny)) apply(*std::move(merge));
  table_.shrink();
  // Merging leaves free memory between used memory: a third of all, measured with a million files.
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

std::vector<SimilarMatch> SampleIndex::similar(const fingerprint::Spamsum& signature,
                                               std::size_t most) const {
  if (!options_.exact) return {};
  std::vector<std::uint32_t> keys;
  fingerprint::spamsum_keys(signature, keys);
  const fingerprint::SpamsumMatcher matcher(signature);
  fingerprint::Spamsum candidate;
  Best<RankedSlot, MoreWorth> best(most);
  candidates(exact_.names_of(keys)).each([&](std::uint32_t slot) {
    table_.signature(slot, candidate);
    const int score = matcher.score(candidate);
    if (score > 0) best.add({static_cast<unsigned>(score), slot});
  });
  std::vector<SimilarMatch> out;
  for (const auto [score, slot] : best.take()) {
    out.push_back({table_.id(slot), std::string(table_.list(slot)), std::string(table_.name(slot)),
                   static_cast<int>(score)});
  }
  return out;
}

SampleIndex::SlotSet SampleIndex::candidates(std::vector<std::uint32_t> names) const {
  const auto visit = [&](std::uint32_t name, std::size_t& left, const auto& see) {
    exact_.find_named(name, [&](std::uint32_t slot) {
      if (!table_.filled()[slot]) return true;
      if (left == 0) return false;
      --left;
      see(slot);
      return true;
    });
  };
  const auto gather = [&] {
    std::pair<SlotSet, std::size_t> some(SlotSet(table_.slots()), SimilarLimits::kCandidatesMax);
    for (const std::uint32_t name : names) {
      visit(name, some.second, [&](std::uint32_t slot) { some.first.add(slot); });
    }
    return some;
  };
  auto [all, left] = gather();
  if (left > 0) return std::move(all);
  std::vector<std::pair<std::size_t, std::uint32_t>> ranked;  // by how many samples have the key
  for (const std::uint32_t name : names) {
    std::size_t rest = SimilarLimits::kRareMax;
    visit(name, rest, [](std::uint32_t) {});
    ranked.emplace_back(SimilarLimits::kRareMax - rest, name);
  }
  std::ranges::sort(ranked);
  std::ranges::transform(ranked, names.begin(), [](const auto& one) { return one.second; });
  return std::move(gather().first);
}

std::vector<PartMatch> SampleIndex::sharing(std::string_view parts, std::size_t most) const {
  if (!options_.parts) return {};
  std::vector<std::uint32_t> keys;
  fingerprint::part_keys(parts.substr(0, PartLimits::kLettersMax), keys);
  if (keys.empty()) return {};
  const std::size_t per_gram = PartLimits::sources_per_gram(keys.size());
  std::vector<std::uint32_t> slots;  // each slot once for each shared gram
  for (const std::uint32_t name : parts_.names_of(keys)) {
    std::size_t left = per_gram;
    parts_.find_named(name, [&](std::uint32_t slot) {
      if (!table_.filled()[slot]) return true;
      slots.push_back(slot);
      return --left > 0;
    });
  }
  std::ranges::sort(slots);
  Best<RankedSlot, MoreWorth> best(most);
  for (std::size_t i = 0; i < slots.size();) {
    std::size_t end = i + 1;
    while (end < slots.size() && slots[end] == slots[i]) ++end;
    best.add({static_cast<unsigned>(end - i), slots[i]});
    i = end;
  }
  std::vector<PartMatch> out;
  for (const auto [shared, slot] : best.take()) {
    out.push_back({table_.id(slot), std::string(table_.list(slot)), std::string(table_.name(slot)),
                   shared, static_cast<unsigned>(keys.size())});
  }
  return out;
}

SampleCounts SampleIndex::counts() const {
  return {table_.samples(), table_.bytes() + exact_.bytes() + parts_.bytes()};
}

SampleScan::SampleScan(std::span<const Question> questions, std::size_t most) {
  asked_.reserve(questions.size());
  for (const Question& question : questions) {
    asked_.emplace_back(question, most);
    any_parts_ = any_parts_ || asked_.back().has_parts();
  }
}

void SampleScan::take(const Sample& sample) {
  if (any_parts_) fingerprint::part_keys_in_turn(sample.parts, keys_);
  for (Asked& asked : asked_) {
    asked.compare(sample);
    if (asked.has_parts()) asked.count_shared(sample, keys_);
  }
}

std::vector<SampleScan::Answer> SampleScan::answers() {
  std::vector<Answer> out;
  out.reserve(asked_.size());
  for (Asked& asked : asked_) out.push_back(asked.answer());
  return out;
}

SampleScan::Asked::Asked(const Question& question, std::size_t most)
    : matcher_(question.signature), similar_(most), sharing_(most) {
  const std::string_view parts = question.parts;
  fingerprint::part_keys(parts.substr(0, PartLimits::kLettersMax), keys_);
  std::ranges::sort(keys_);
  left_.assign(keys_.size(), PartLimits::sources_per_gram(keys_.size()));
  for (const std::uint32_t key : keys_) filter_.set(place_of(key));
}

void SampleScan::Asked::compare(const Sample& sample) {
  const int score = matcher_.score(sample.signature);
  if (score > 0) similar_.add({static_cast<unsigned>(score), sample.id, sample.list, sample.name});
}

void SampleScan::Asked::count_shared(const Sample& sample, std::span<const std::uint32_t> keys) {
  shared_.clear();
  for (const std::uint32_t key : keys) {
    if (!filter_[place_of(key)]) continue;
    const auto found = std::ranges::lower_bound(keys_, key);
    if (found != keys_.end() && *found == key)
      shared_.push_back(static_cast<std::size_t>(found - keys_.begin()));
  }
  if (shared_.empty()) return;
  std::ranges::sort(shared_);
  shared_.erase(std::unique(shared_.begin(), shared_.end()), shared_.end());
  unsigned worth = 0;
  for (const std::size_t key : shared_) {
    if (left_[key] == 0) continue;
    --left_[key];
    ++worth;
  }
  if (worth > 0) sharing_.add({worth, sample.id, sample.list, sample.name});
}

SampleScan::Answer SampleScan::Asked::answer() {
  Answer out;
  for (Ranked& one : similar_.take()) {
    out.similar.push_back(
        {one.at, std::move(one.list), std::move(one.name), static_cast<int>(one.worth)});
  }
  for (Ranked& one : sharing_.take()) {
    out.sharing.push_back({one.at, std::move(one.list), std::move(one.name), one.worth,
                           static_cast<unsigned>(keys_.size())});
  }
  return out;
}

}  // namespace shingled::storage::similar
