#include "storage/similar/sample_index.h"

#include <algorithm>
#include <set>

#include "mime/fingerprint/spamsum_score.h"

namespace shingled::storage {

namespace {

constexpr std::size_t kPartGram = 5;

std::set<std::string_view> grams_of(std::string_view parts) {
  std::set<std::string_view> out;
  for (std::size_t i = 0; i + kPartGram <= parts.size(); ++i)
    out.insert(parts.substr(i, kPartGram));
  return out;
}

}  // namespace

void SampleIndex::add(const Sample& sample) { samples_.push_back(sample); }

bool SampleIndex::remove(std::uint64_t id) {
  return std::erase_if(samples_, [id](const Sample& sample) { return sample.id == id; }) > 0;
}

std::vector<SimilarMatch> SampleIndex::similar(const fingerprint::Spamsum& signature,
                                               std::size_t most) const {
  std::vector<SimilarMatch> out;
  if (!options_.exact) return out;
  const fingerprint::SpamsumMatcher matcher(signature);
  for (const Sample& sample : samples_) {
    const int score = matcher.score(sample.signature);
    if (score > 0) out.push_back({sample.id, sample.list, sample.name, score});
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &SimilarMatch::score);
  out.resize(std::min(out.size(), most));
  return out;
}

std::vector<PartMatch> SampleIndex::sharing(std::string_view parts, std::size_t most) const {
  std::vector<PartMatch> out;
  if (!options_.parts) return out;
  const auto asked = grams_of(parts);
  for (const Sample& sample : samples_) {
    unsigned shared = 0;
    for (const std::string_view gram : grams_of(sample.parts)) {
      if (asked.contains(gram)) ++shared;
    }
    if (shared > 0) {
      out.push_back(
          {sample.id, sample.list, sample.name, shared, static_cast<unsigned>(asked.size())});
    }
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &PartMatch::shared);
  out.resize(std::min(out.size(), most));
  return out;
}

SampleCounts SampleIndex::counts() const {
  SampleCounts counts{samples_.size(), samples_.capacity() * sizeof(Sample)};
  for (const Sample& sample : samples_) counts.bytes += sample.name.size() + sample.parts.size();
  return counts;
}

}  // namespace shingled::storage
