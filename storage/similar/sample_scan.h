#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/base/best.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "storage/model/sample.h"
#include "storage/similar/sample_index.h"

namespace shingled::storage::similar {

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
