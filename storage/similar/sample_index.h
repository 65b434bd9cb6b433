#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mime/fingerprint/spamsum.h"
#include "storage/similar/sample.h"

namespace shingled::storage {

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

struct SampleCounts {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  ///< of memory, by all of the index
};

/// The samples in memory.   Threads: searches from many at once, changes from one alone.
class SampleIndex {
 public:
  struct Options {
    bool exact = true;
    bool parts = true;
  };
  explicit SampleIndex(Options options) : options_(options) {}

  /// Ids must rise from sample to sample.
  void add(const Sample& sample);
  /// Whether there was one.
  bool remove(std::uint64_t id);

  [[nodiscard]] std::vector<SimilarMatch> similar(const fingerprint::Spamsum& signature,
                                                  std::size_t most) const;
  [[nodiscard]] std::vector<PartMatch> sharing(std::string_view parts, std::size_t most) const;
  [[nodiscard]] SampleCounts counts() const;

 private:
  Options options_;
  std::vector<Sample> samples_;
};

}  // namespace shingled::storage
