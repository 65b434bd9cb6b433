#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "milter/similar/similar_facts.h"
#include "mime/analyze.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter {

/// Looks the attachments of messages, and by option their texts, up in the library of samples.
/// Threads: any thread.
class SimilarSearch {
 public:
  /// `options` must outlive it.
  SimilarSearch(const SimilarOptions& options,
                std::shared_ptr<const storage::SampleLibrary> library, const Clock& clock)
      : options_(options), library_(std::move(library)), clock_(clock) {}

  /// Every attachment with what is inside it, until the deadline; what was not reached is a note.
  /// Errors: none.   Cost: signing (sample_signer.h), then one or two searches a piece. Memory: of
  /// one attachment at a time.
  [[nodiscard]] SimilarFacts search(const mime::Analysis& analysis, TimePoint deadline) const;

 private:
  class Run;
  const SimilarOptions& options_;
  std::shared_ptr<const storage::SampleLibrary> library_;
  const Clock& clock_;
};

}  // namespace shingled::milter
