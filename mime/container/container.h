#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/similar_options.h"
#include "mime/container/container_kind.h"

namespace shingled::mime {

struct ContainerEntry;

/// What a container holds, containers inside it opened too.
struct Container {
  ContainerKind kind = ContainerKind::kNone;
  std::vector<ContainerEntry> entries;  ///< the files, in its own order
  bool whole = false;                   ///< everything in it was read, sound and within bounds
};

struct ContainerEntry {
  std::string name;   ///< a label (archive_reader.h), never a path
  std::string bytes;  ///< unpacked
  Container inside;   ///< of kind kNone if it is an ordinary file
};

/// The root, and what opening it took.
struct OpenedContainer {
  Container root;
  std::uint64_t entries = 0;     ///< at all depths, folders and unreadable ones counted
  std::uint64_t containers = 0;  ///< opened, the root counted
  std::uint64_t bytes = 0;       ///< unpacked at all depths
  /// Why something is missing, fixed phrases, each once: "an entry is encrypted", "an entry cannot
  /// be read", "broken container", "depth limit reached", "entry limit reached", "size limit
  /// reached", "ratio limit reached", "time limit reached".
  std::vector<std::string> notes;

  [[nodiscard]] bool is_container() const { return root.kind != ContainerKind::kNone; }
};

/// Opens a container in memory, and those inside it.
///
/// Input:   any bytes; what no container is (container_kind.h) costs a look at its beginning.
/// Output:  the files that were read before a bound was reached; the one it was reached in is not
///          among them. A container within a container counts as a file, too, and so do its bytes.
/// Errors:  none; encrypted, broken and oversized ones are a value and notes.
/// Bounds:  `options`; `out_of_time` is asked at each block, some hundred KB. What unpacks to less
///          than kRatioBytesMin is never beyond the ratio.
/// Threads: stateless.
/// Cost: memory, at most the bytes unpacked, twice while a file grows.
OpenedContainer open_container(std::string_view bytes, const ContainerOptions& options,
                               const std::function<bool()>& out_of_time);

constexpr std::uint64_t kRatioBytesMin = 1U << 20U;
/// More entries than this in the directory of one zip are not even listed.
constexpr std::size_t kZipDirectoryMax = 65'536;

}  // namespace shingled::mime
