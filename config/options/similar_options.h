#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shingled {

/// Limits on containers (zip, docx, jar, tar.gz) that are opened. A container that exceeds a limit
/// is looked up as a plain file.
struct ContainerOptions {
  bool open = true;                                      ///< no: containers are not opened
  std::uint32_t depth_max = 4;                           ///< containers in containers, 1 to 64
  std::uint32_t entries_max = 1000;                      ///< files of one attachment, 1 to 1000000
  std::uint64_t unpacked_max = std::uint64_t{64} << 20;  ///< all their bytes, 1K to 1G
  std::uint32_t ratio_max = 200;            ///< unpacked bytes for each packed byte, 1 to 1000000
  std::chrono::milliseconds time_max{500};  ///< for one attachment, 1ms to 1m

  friend bool operator==(const ContainerOptions&, const ContainerOptions&) = default;
};

/// One entry of `similar.lists`: known files that the library has under this name.
struct SimilarList {
  std::string name;    ///< 1 to 64 of A-Z a-z 0-9 _ . -
  std::string symbol;  ///< for headers and logs; SIMILAR_ and the name in capitals if not given
  double score = 0;    ///< of a full match; negative for wanted files
  std::uint32_t similarity_min = 40;  ///< lower similarities do not count, 0 to 100
  /// N-grams that a piece must share with a part of a sample, 0 to 100000; 0 = parts do not count.
  std::uint32_t shared_min = 4;
  /// A piece at least as similar to one of these does not count for the other lists.
  bool good = false;

  friend bool operator==(const SimilarList&, const SimilarList&) = default;
};

/// Section `similar`: which known file an attachment, or a part of it, comes from.
struct SimilarOptions {
  bool enabled = false;  ///< whether messages are looked up; the commands always work
  std::string file = "/var/lib/shingled/similar.db";  ///< the library of samples
  bool attachments = true;  ///< what is looked up: the attachments of a message
  bool texts = false;       ///< and its decoded texts
  std::uint64_t bytes_min = std::uint64_t{4} << 10;   ///< smaller pieces are not looked up, 0 to 1G
  std::uint64_t bytes_max = std::uint64_t{64} << 20;  ///< and larger ones, 1K to 1G
  bool parts = true;  ///< whether parts of files are found, too; needs a larger index
  /// Average number of bytes for each character of the signature of parts, 64 to 1M.
  std::uint64_t part_block_size = 768;
  ContainerOptions containers = {};
  std::vector<SimilarList> lists = {};  ///< at most 100, each name once

  friend bool operator==(const SimilarOptions&, const SimilarOptions&) = default;
};

}  // namespace shingled
