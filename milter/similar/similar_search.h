#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::similar {

/// A piece of a message that is like a sample of the library: the best one of one list.
struct SimilarHit {
  std::size_t piece = 0;  ///< of the message, numbered; what is known as good spares its own piece
  std::string part;       ///< IMAP section number
  std::string file;       ///< as the message names the attachment; empty = not at all
  std::string entry;      ///< of the container (SignedPiece::path); empty = the whole
  std::uint64_t bytes = 0;
  std::string list;
  std::string sample;  ///< its name
  std::uint64_t sample_id = 0;
  int score = 0;  ///< 1 to 100, as ssdeep; 0 = below what the list wants
  unsigned shared =
      0;  ///< n-grams that a part of the sample has, too; 0 = below what the list wants
  unsigned asked = 0;  ///< of so many of the piece

  /// 0 to 1: of both ways the one that says more.
  [[nodiscard]] double likeness() const {
    const double of_parts = asked == 0 ? 0 : static_cast<double>(shared) / asked;
    return std::max(score / 100.0, std::min(of_parts, 1.0));
  }
  friend bool operator==(const SimilarHit&, const SimilarHit&) = default;
};

/// What the library said of a message. A note is no failure: what was left out is not known.
struct SimilarFacts {
  std::vector<SimilarHit> hits;    ///< in the order looked up, then of the lists of the settings
  std::vector<std::string> notes;  ///< why something was left out, fixed phrases, each once
  std::size_t pieces = 0;          ///< looked up
  std::uint64_t containers = 0;    ///< opened
  /// Time or work ended before all was looked up that the settings want.
  bool incomplete = false;
};

/// "invoice.zip!evil.exe", or the number of the part where the message gives no name.
std::string piece_name(const SimilarHit& hit);
/// "similarity 93", "12 of 40 n-grams (30 %)", or both with " and " between.
std::string likeness_text(const SimilarHit& hit);

/// Looks the attachments of messages, and by option their texts, up in the library of samples.
/// Threads: any thread.
class SimilarSearch {
 public:
  /// `options` must outlive it.
  SimilarSearch(const SimilarOptions& options,
                std::shared_ptr<const storage::similar::SampleLibrary> library, const Clock& clock)
      : options_(options), library_(std::move(library)), clock_(clock) {}

  /// Every attachment with what is inside it, until the deadline or until `work` steps are spent;
  /// what was not reached is a note, and then the facts are incomplete.
  ///
  /// Files that are no containers come first, as they stand: all of them cost less than
  /// kStepsAMegabyte for each megabyte of the message. Containers follow, the smallest first, each
  /// with an equal share of what is left, or what says anything at all: one that unpacks to much
  /// takes no more than its own.
  /// Errors: none.
  /// Cost: signing (sample_signer.h), then one or two searches a piece.
  /// Memory: of one attachment at a time.
  [[nodiscard]] SimilarFacts search(const mime::Analysis& analysis, TimePoint deadline,
                                    mime::Steps work) const;

  /// What a message may cost here for each megabyte begun, beside what its analysis left.
  static constexpr mime::Steps kStepsAMegabyte = 50'000'000;

 private:
  class Run;
  const SimilarOptions& options_;
  std::shared_ptr<const storage::similar::SampleLibrary> library_;
  const Clock& clock_;
};

}  // namespace shingled::milter::similar
