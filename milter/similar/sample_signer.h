#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "mime/fingerprint/spamsum.h"
#include "mime/model/work_meter.h"

namespace shingled::milter::similar {

/// A signed piece of a file: the whole file, or an entry of a container.
struct SignedPiece {
  std::string path;  ///< "" = the whole; else the entry: "a/b.exe", "inner.zip!a/b.exe"
  std::uint64_t bytes = 0;
  fingerprint::Spamsum signature;
  std::string
      parts;  ///< the signature of parts, with `part_block_size`; empty unless `parts` is on
};

struct SignedFile {
  std::vector<SignedPiece>
      pieces;                    ///< the first is the whole file; empty if the file was too large
  std::uint64_t containers = 0;  ///< that were opened, also inside others
  /// Why something was left out; fixed phrases, each once: those of mime::OpenedContainer, "larger
  /// than bytes_max", "time limit reached", "work limit reached".
  std::vector<std::string> notes;
};

/// Signs a file in the form of the library.
///
/// The first piece is the whole file. A container that could be read to its end is signed by its
/// content (container_content.h), so that the packing makes no difference. Any other file is signed
/// by its bytes, also an encrypted or broken container or one beyond a bound. Samples are made of
/// this piece.
///
/// Then follow, for look-ups, the files in the container, at all depths, with at least `bytes_min`
/// bytes. They are signed in the same way, without the parts that all documents of their kind have.
///
/// Bounds: `options`. Nothing is begun after the deadline, or when the steps of `work` are spent
/// ("work limit reached"); `work` null = no bound of steps.
/// Threads: stateless.
/// Cost: opening (container.h), then a few nanoseconds per byte for each depth.
SignedFile sign_pieces(std::string_view bytes, const SimilarOptions& options, const Clock& clock,
                       TimePoint deadline, mime::WorkMeter* work = nullptr);

/// The steps for signing one byte: once for the whole signature, and again for that of parts.
inline constexpr mime::Steps kStepsASignedByte = 3;

}  // namespace shingled::milter::similar
