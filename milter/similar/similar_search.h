#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::similar {

/// A piece of a message that is similar to a sample of the library: the best sample of one list.
struct SimilarHit {
  std::size_t piece = 0;  ///< its number in the message; a good file spares only the same piece
  std::string part;       ///< IMAP section number
  std::string file;       ///< the name of the attachment; empty = the message gives none
  std::string entry;      ///< in the container (SignedPiece::path); empty = the whole file
  std::uint64_t bytes = 0;
  std::string list;
  std::string sample;  ///< the name of the sample
  std::uint64_t sample_id = 0;
  int score = 0;  ///< 1 to 100, as of ssdeep; 0 = below `similarity_min` of the list
  /// The number of n-grams that a part of the sample has, too; 0 = below `shared_min` of the list.
  unsigned shared = 0;
  unsigned asked = 0;  ///< the number of all n-grams of the piece

  /// 0 to 1: the larger of both measures.
  [[nodiscard]] double likeness() const {
    const double of_parts = asked == 0 ? 0 : static_cast<double>(shared) / asked;
    return std::max(score / 100.0, std::min(of_parts, 1.0));
  }
  friend bool operator==(const SimilarHit&, const SimilarHit&) = default;
};

/// The answer of the library for a message. A note is not a failure: the parts that were left out
/// are unknown.
struct SimilarFacts {
  std::vector<SimilarHit>
      hits;  ///< by piece in the order of look-up, then by list as in the settings
  std::vector<std::string> notes;  ///< why something was left out, fixed phrases, each once
  std::size_t pieces = 0;          ///< that were looked up
  std::uint64_t containers = 0;    ///< that were opened
  /// The limit of time or work was reached before everything was looked up.
  bool incomplete = false;
};

/// "invoice.zip!evil.exe"; "part 2" if the message gives no name.
std::string piece_name(const SimilarHit& hit);
/// "similarity 93", "12 of 40 n-grams (30 %)", or both joined with " and ".
std::string likeness_text(const SimilarHit& hit);

/// Looks up the attachments of messages, and optionally their texts, in the library of samples.
/// Threads: any thread.
class SimilarSearch {
 public:
  /// `options` must outlive it.
  SimilarSearch(const SimilarOptions& options,
                std::shared_ptr<const storage::similar::SampleLibrary> library, const Clock& clock)
      : options_(options), library_(std::move(library)), clock_(clock) {}

  /// Looks up all attachments and their entries, until the deadline or until `work` steps are
  /// spent. If it ends early, there is a note and the facts are incomplete.
  ///
  /// Files that are not containers come first, in their order: all of them cost less than
  /// kStepsAMegabyte per megabyte of the message. Containers follow, the smallest first. Each gets
  /// an equal share of the steps that are left, but at least enough for a useful look-up, so that
  /// one that unpacks to much does not use the shares of others.
  /// Errors: none.
  /// Cost: signing (sample_signer.h), then one or two searches per piece.
  /// Memory: for one attachment at a time.
  [[nodiscard]] SimilarFacts search(const mime::Analysis& analysis, TimePoint deadline,
                                    mime::Steps work) const;

  /// The steps that a search may use for each megabyte of a message, rounded up, in addition to the
  /// steps that the analysis has left.
  static constexpr mime::Steps kStepsAMegabyte = 50'000'000;

 private:
  class Run;
  const SimilarOptions& options_;
  std::shared_ptr<const storage::similar::SampleLibrary> library_;
  const Clock& clock_;
};

}  // namespace shingled::milter::similar
