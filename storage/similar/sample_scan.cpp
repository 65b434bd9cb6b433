#include "storage/similar/sample_scan.h"

#include <algorithm>
#include <utility>

#include "mime/fingerprint/spamsum_compare.h"

namespace shingled::storage::similar {

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
