#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shingled {

/// What a container (zip, docx, jar, tar.gz) may cost that is opened to see what is inside. One
/// that goes beyond a bound is signed as the file it is.
struct ContainerOptions {
  bool open = true;                  ///< no: every attachment is the bytes it has
  std::uint32_t depth_max = 4;       ///< containers in containers, 1 to 64
  std::uint32_t entries_max = 1000;  ///< files of one attachment, 1 to 1000000
  std::uint64_t unpacked_max = std::uint64_t{64} << 20;  ///< all bytes of them, 1K to 1G
  std::uint32_t ratio_max = 200;                         ///< bytes unpacked from one, 1 to 1000000
  std::chrono::milliseconds time_max{500};               ///< for one attachment, 1ms to 1m

  friend bool operator==(const ContainerOptions&, const ContainerOptions&) = default;
};

/// One entry of `similar.lists`: known files that stand in the library under this name.
struct SimilarList {
  std::string name;    ///< 1 to 64 of A-Z a-z 0-9 _ . -
  std::string symbol;  ///< for headers and logs; SIMILAR_ and the name in capitals if not given
  double score = 0;    ///< at full likeness; negative for wanted files
  std::uint32_t similarity_min = 40;  ///< a lesser one is none, 0 to 100
  /// N-grams that a piece must share with a part of a sample, 0 to 100000; 0 = parts do not count.
  std::uint32_t shared_min = 4;
  /// What is at least as like one of these is not held against a message by the other lists.
  bool good = false;

  friend bool operator==(const SimilarList&, const SimilarList&) = default;
};

/// Section `similar`: which known file an attachment, or a part of it, comes from.
struct SimilarOptions {
  bool enabled = false;  ///< whether messages are looked up; the commands work without
  std::string file = "/var/lib/shingled/similar.db";  ///< the library of samples
  bool attachments = true;  ///< what is looked up: the attachments of a message
  bool texts = false;       ///< and its decoded texts
  std::uint64_t bytes_min = std::uint64_t{4} << 10;   ///< smaller pieces are passed by, 0 to 1G
  std::uint64_t bytes_max = std::uint64_t{64} << 20;  ///< and larger ones, 1K to 1G
  bool parts = true;  ///< whether parts of files are found, too: the larger index
  /// One character of the free form stands for so many bytes on average, 64 to 1M.
  std::uint64_t part_block_size = 768;
  ContainerOptions containers = {};
  std::vector<SimilarList> lists = {};  ///< at most 100, each name once

  friend bool operator==(const SimilarOptions&, const SimilarOptions&) = default;
};

}  // namespace shingled
