#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "milter/similar/similar_facts.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::similar {

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
