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

/// A few questions, answered by looking at all samples once, without an index over them: what
/// SampleIndex would say, by a fraction of the work of making one. (It compares all signatures
/// anyway: SimilarLimits bound the index alone.)
///
/// Threads: one thread.
/// Memory: the questions and the matches that are kept.
/// Cost: for each sample and question a comparison of signatures, and a nanosecond or two a
/// character of parts.
class SampleScan {
 public:
  struct Question {
    fingerprint::Spamsum signature;
    std::string parts;  ///< may be empty: nothing shares it
  };
  struct Answer {
    std::vector<SimilarMatch> similar;  ///< SampleIndex::similar
    std::vector<PartMatch> sharing;     ///< SampleIndex::sharing
  };

  /// At most `most` matches of each kind for each question.
  SampleScan(std::span<const Question> questions, std::size_t most);
  /// Ids must rise.
  void take(const Sample& sample);
  /// One for each question. Ends the scan.
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
    /// `keys` of the sample's parts, in turn.
    void count_shared(const Sample& sample, std::span<const std::uint32_t> keys);
    [[nodiscard]] bool has_parts() const { return !keys_.empty(); }
    [[nodiscard]] Answer answer();

   private:
    static constexpr unsigned kFilterBits = 16;
    static std::size_t place_of(std::uint32_t key) { return key & ((1U << kFilterBits) - 1); }

    fingerprint::SpamsumMatcher matcher_;
    std::vector<std::uint32_t> keys_;        ///< of the parts, rising
    std::vector<std::size_t> left_;          ///< sources that may still count, of each key
    std::bitset<1U << kFilterBits> filter_;  ///< places of the keys: most others are none of them
    std::vector<std::size_t> shared_;        ///< of the sample at hand, which keys
    Best<Ranked, MoreWorth> similar_;
    Best<Ranked, MoreWorth> sharing_;
  };

  std::vector<Asked> asked_;
  bool any_parts_ = false;
  std::vector<std::uint32_t> keys_;  ///< of the sample at hand, to use the memory again
};

}  // namespace shingled::storage::similar
