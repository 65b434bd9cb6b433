#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/best.h"
#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "storage/model/sample.h"
#include "storage/similar/gram_index.h"
#include "storage/similar/sample_table.h"

namespace shingled::storage::similar {

/// A result of `similar`.
struct SimilarMatch {
  std::uint64_t id = 0;
  std::string list;
  std::string name;
  int score = 0;  ///< 1 to 100, the same as in ssdeep
  friend bool operator==(const SimilarMatch&, const SimilarMatch&) = default;
};

/// A result of `sharing`.
struct PartMatch {
  std::uint64_t id = 0;
  std::string list;
  std::string name;
  unsigned shared = 0;  ///< number of different n-grams that both have
  unsigned asked = 0;   ///< number of different n-grams of the question
  friend bool operator==(const PartMatch&, const PartMatch&) = default;
};

/// The order of results: highest `worth` first, for equal worth lowest `at` first.
struct MoreWorth {
  template <typename Ranked>
  bool operator()(const Ranked& a, const Ranked& b) const {
    return a.worth != b.worth ? a.worth > b.worth : a.at < b.at;
  }
};

struct SampleCounts {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  ///< memory of the whole index
};

/// The limits of a search by parts. A gram that very many samples share says little, so only its
/// first samples are counted. These are the same for each gram, so one of many equal files is
/// found.
struct PartLimits {
  static constexpr std::size_t kLettersMax = std::size_t{1} << 18U;  ///< of a question
  static constexpr std::size_t kSourcesPerGramMax = 4096;
  /// For all grams together. With many grams each one gets fewer, but at least kSourcesPerGramMin.
  static constexpr std::size_t kSourcesMax = std::size_t{1} << 20U;
  static constexpr std::size_t kSourcesPerGramMin = 16;
  /// The limit per gram for a question with `grams` different grams.
  static constexpr std::size_t sources_per_gram(std::size_t grams) {
    return std::clamp(kSourcesMax / std::max<std::size_t>(grams, 1), kSourcesPerGramMin,
                      kSourcesPerGramMax);
  }
};

/// The limits of a search by signatures: 0.1 s of comparisons.
struct SimilarLimits {
  /// The number of candidates; a sample counts once for each key that it shares.
  static constexpr std::size_t kCandidatesMax = std::size_t{1} << 18U;
  /// A key with more samples is common. Common keys are searched last.
  static constexpr std::size_t kRareMax = std::size_t{1} << 15U;
};

/// The index of the samples in memory, by their grams.
///
/// `similar` compares the question with each sample that shares a key (`spamsum_keys`). So it finds
/// all similar samples within SimilarLimits. If too many samples share keys with the question, it
/// compares the samples of rare keys first, then the first samples of common keys. `sharing` counts
/// shared grams within PartLimits.
///
/// Threads: many readers at the same time, or one thread that changes it.
class SampleIndex {
 public:
  struct Options {
    bool exact = true;
    bool parts = true;
  };
  explicit SampleIndex(Options options);

  /// Adds a sample. Its id must be higher than all before.
  void add(const Sample& sample);
  /// Like `add`, but faster, for very many samples. Searches are slow until all is merged.
  void load(const Sample& sample);
  /// Removes a sample. Returns false if there is none with this id.
  bool remove(std::uint64_t id);
  /// True if so many samples were removed that it is worth building a new index.
  [[nodiscard]] bool is_sparse() const;

  /// A merged segment that is ready to replace the present one.
  struct Merge {
    bool exact = false;  ///< true: of `exact_`; false: of `parts_`
    std::size_t segment = 0;
    PackedPostings packed;
  };
  /// Builds the next merged segment; nullopt if there is none to merge. This takes long, but does
  /// not change the index, so searches work meanwhile.
  [[nodiscard]] std::optional<Merge> next_merge(GramIndex::Which which) const;
  /// Applies the result of `next_merge`. The index must not have changed since that call.
  void apply(Merge merge);
  /// Merges everything and frees spare memory.
  void settle();

  [[nodiscard]] std::vector<SimilarMatch> similar(const fingerprint::Spamsum& signature,
                                                  std::size_t most) const;
  [[nodiscard]] std::vector<PartMatch> sharing(std::string_view parts, std::size_t most) const;
  [[nodiscard]] SampleCounts counts() const;

 private:
  class SlotSet;
  using PutGrams = void (GramIndex::*)(std::uint32_t source, std::span<const std::uint32_t> grams);

  void put(const Sample& sample, PutGrams put_grams);
  /// The samples to compare the question with. `names`: the names of its keys in `exact_`.
  [[nodiscard]] SlotSet candidates(std::vector<std::uint32_t> names) const;

  Options options_;
  SampleTable table_;
  GramIndex exact_;                  ///< keys of signatures
  GramIndex parts_;                  ///< grams of the parts
  std::vector<std::uint32_t> keys_;  ///< of the sample that is added; a member to reuse its memory
};

/// Answers a few questions by reading all samples once. The answers are those of SampleIndex, for a
/// fraction of the work of building one. It compares all signatures: SimilarLimits are only for the
/// index.
///
/// Threads: one thread.
/// Memory: the questions, and the matches that are kept.
/// Cost: for each sample and question one comparison of signatures, and one or two nanoseconds per
/// character of the parts.
class SampleScan {
 public:
  struct Question {
    fingerprint::Spamsum signature;
    std::string parts;  ///< may be empty; then `sharing` is empty
  };
  struct Answer {
    std::vector<SimilarMatch> similar;  ///< as from SampleIndex::similar
    std::vector<PartMatch> sharing;     ///< as from SampleIndex::sharing
  };

  /// Each question gets at most `most` matches of each kind.
  SampleScan(std::span<const Question> questions, std::size_t most);
  /// Compares the next sample with all questions. Ids must rise from sample to sample.
  void take(const Sample& sample);
  /// One answer for each question. Call it once, at the end of the scan.
  [[nodiscard]] std::vector<Answer> answers();

 private:
  struct Ranked {
    unsigned worth = 0;
    std::uint64_t at = 0;  ///< id
    std::string list;
    std::string name;
  };
  class Asked {
   public:
    Asked(const Question& question, std::size_t most);
    void compare(const Sample& sample);
    /// `keys`: those of the parts of the sample, in the order of the text.
    void count_shared(const Sample& sample, std::span<const std::uint32_t> keys);
    [[nodiscard]] bool has_parts() const { return !keys_.empty(); }
    [[nodiscard]] Answer answer();

   private:
    static constexpr unsigned kFilterBits = 16;
    static std::size_t place_of(std::uint32_t key) { return key & ((1U << kFilterBits) - 1); }

    fingerprint::SpamsumMatcher matcher_;
    std::vector<std::uint32_t> keys_;        ///< of the parts, sorted
    std::vector<std::size_t> left_;          ///< for each key, how many sources may still count
    std::bitset<1U << kFilterBits> filter_;  ///< places of `keys_`; excludes most other keys
    std::vector<std::size_t> shared_;        ///< indices of the keys that the present sample shares
    Best<Ranked, MoreWorth> similar_;
    Best<Ranked, MoreWorth> sharing_;
  };

  std::vector<Asked> asked_;
  bool any_parts_ = false;
  std::vector<std::uint32_t> keys_;  ///< of the present sample; a member to reuse its memory
};

}  // namespace shingled::storage::similar
