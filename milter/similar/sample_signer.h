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

/// What is signed of a file: the whole of it, or an entry of the container it is.
struct SignedPiece {
  std::string path;  ///< "" = the whole; else the entry: "a/b.exe", "inner.zip!a/b.exe"
  std::uint64_t bytes = 0;
  fingerprint::Spamsum signature;
  std::string parts;  ///< the free form, of `part_block_size`; empty unless `parts` is on
};

struct SignedFile {
  std::vector<SignedPiece> pieces;  ///< the whole first; none when the file was too large
  std::uint64_t containers = 0;     ///< opened, those inside others too
  /// What was left out and why, fixed phrases, each once: those of mime::OpenedContainer, "larger
  /// than bytes_max", "time limit reached", "work limit reached".
  std::vector<std::string> notes;
};

/// Signs a file as the library knows it.
///
/// The whole is: of a container that could be read to its end, its content (container_content.h),
/// so that it does not matter how it was packed; of any other file, also one that is encrypted,
/// broken or beyond a bound, its bytes. This is what a sample is made of.
///
/// Then follow, for look-ups, the files in the container, at all depths, that have at least
/// `bytes_min`: their own content, too; without what every document of the kind has.
///
/// Bounds:  `options`; nothing begins after the deadline, or when the steps of `work` are spent
/// ("work limit reached"); null = no bound.
/// Threads: stateless.
/// Cost:    opening (container.h), then a few nanoseconds a byte for each depth it stands at.
SignedFile sign_pieces(std::string_view bytes, const SimilarOptions& options, const Clock& clock,
                       TimePoint deadline, mime::WorkMeter* work = nullptr);

/// What signing so many bytes is charged, once for the whole and once for its parts.
inline constexpr mime::Steps kStepsASignedByte = 3;

}  // namespace shingled::milter::similar
