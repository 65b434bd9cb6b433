#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mime/fingerprint/spamsum.h"
#include "storage/model/sample.h"
#include "storage/similar/gram_index.h"
#include "storage/similar/sample_table.h"

namespace shingled::storage::similar {

/// A sample that `similar` found.
struct SimilarMatch {
  std::uint64_t id = 0;
  std::string list;
  std::string name;
  int score = 0;  ///< 1 to 100, as ssdeep counts it
  friend bool operator==(const SimilarMatch&, const SimilarMatch&) = default;
};

/// A sample that `sharing` found.
struct PartMatch {
  std::uint64_t id = 0;
  std::string list;
  std::string name;
  unsigned shared = 0;  ///< different n-grams that both have
  unsigned asked = 0;   ///< different n-grams of the question
  friend bool operator==(const PartMatch&, const PartMatch&) = default;
};

/// The order of what was found: most worth first, of equal ones the one that came first.
struct MoreWorth {
  template <typename Ranked>
  bool operator()(const Ranked& a, const Ranked& b) const {
    return a.worth != b.worth ? a.worth > b.worth : a.at < b.at;
  }
};

struct SampleCounts {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  ///< of memory, by all of the index
};

/// What a search by parts looks at, at most. A gram that more samples share tells little: of it the
/// first ones are taken, the same for each gram, so that one of many equal files is still found.
struct PartLimits {
  static constexpr std::size_t kLettersMax = std::size_t{1} << 18U;  ///< of a question
  static constexpr std::size_t kSourcesPerGramMax = 4096;
  /// With so many grams that this would not do, each has fewer, but kSourcesPerGramMin.
  static constexpr std::size_t kSourcesMax = std::size_t{1} << 20U;
  static constexpr std::size_t kSourcesPerGramMin = 16;
  /// For a question of so many different grams.
  static constexpr std::size_t sources_per_gram(std::size_t grams) {
    return std::clamp(kSourcesMax / std::max<std::size_t>(grams, 1), kSourcesPerGramMin,
                      kSourcesPerGramMax);
  }
};

/// What a search by signatures looks at, at most: 0.1 s of comparisons.
struct SimilarLimits {
  /// Samples that share a key, as often as they share one.
  static constexpr std::size_t kCandidatesMax = std::size_t{1} << 18U;
  /// A key of more samples than that is one of the common ones, whose turn comes last.
  static constexpr std::size_t kRareMax = std::size_t{1} << 15U;
};

/// The samples in memory, and their grams.
///
/// `similar` compares with every sample that shares a key (`spamsum_keys`), so it is exact, within
/// SimilarLimits: where too many samples share keys with the question those of rare keys come
/// first, then the first ones of common keys. `sharing` counts shared grams within PartLimits.
///
/// Threads: searches, `merge_next` and figures from many at once, changes from one alone.
class SampleIndex {
 public:
  struct Options {
    bool exact = true;
    bool parts = true;
  };
  explicit SampleIndex(Options options);

  /// Ids must rise from sample to sample.
  void add(const Sample& sample);
  /// As `add`, for very many: searches are slow until all is merged.
  void load(const Sample& sample);
  /// Whether there was one.
  bool remove(std::uint64_t id);
  /// So many went that making all anew is worth it.
  [[nodiscard]] bool is_sparse() const;

  /// Part of an index to be put in the place of what is there.
  struct Merge {
    bool exact = false;  ///< else of the parts
    std::size_t segment = 0;
    PackedPostings packed;
  };
  /// Looks only: what takes long goes on beside searches.
  [[nodiscard]] std::optional<Merge> next_merge(GramIndex::Which which) const;
  /// Nothing may have been added or removed since.
  void apply(Merge merge);
  /// Merges everything and gives back what was taken in advance.
  void settle();

  [[nodiscard]] std::vector<SimilarMatch> similar(const fingerprint::Spamsum& signature,
                                                  std::size_t most) const;
  [[nodiscard]] std::vector<PartMatch> sharing(std::string_view parts, std::size_t most) const;
  [[nodiscard]] SampleCounts counts() const;

 private:
  class SlotSet;

  /// The samples to compare with, from the names of their grams in `exact_`.
  [[nodiscard]] SlotSet candidates(std::vector<std::uint32_t> names) const;

  Options options_;
  SampleTable table_;
  GramIndex exact_;                  ///< keys of signatures
  GramIndex parts_;                  ///< grams of the free form
  std::vector<std::uint32_t> keys_;  ///< of the sample that is added, to use the memory again
};

}  // namespace shingled::storage::similar
