// Any bytes as an attachment. Opening it stays within the limits and gives the same result twice.
// The content is not larger than the number of bytes that were unpacked.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/container/container.h"
#include "mime/container/container_content.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

struct Sum {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint32_t depth = 0;
};

void count(const Container& container, std::uint32_t depth, Sum& sum) {
  if (container.kind == ContainerKind::kNone) {
    if (container.whole || !container.entries.empty()) std::abort();
    return;
  }
  if (!container.entries.empty() && depth > sum.depth) sum.depth = depth;
  for (const ContainerEntry& entry : container.entries) {
    ++sum.files;
    sum.bytes += entry.bytes.size();
    if (entry.name.size() > 255 || entry.bytes.empty()) std::abort();
    count(entry.inside, depth + 1, sum);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kOutOfTimeAfter = 2000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ContainerOptions options{
      .depth_max = 3, .entries_max = 50, .unpacked_max = 1U << 21U, .ratio_max = 100};
  std::uint64_t asked = 0;
  const auto open = [&] {
    asked = 0;
    return open_container(bytes, options, [&] { return ++asked > kOutOfTimeAfter; });
  };
  const OpenedContainer opened = open();
  Sum sum;
  count(opened.root, 1, sum);
  if (sum.files > opened.entries || opened.entries > options.entries_max) std::abort();
  if (sum.bytes > opened.bytes || sum.bytes > options.unpacked_max) std::abort();
  if (sum.depth > options.depth_max) std::abort();
  if (opened.root.whole && asked > kOutOfTimeAfter) std::abort();
  const std::string content = container_content(opened.root);
  if (content.size() > sum.bytes) std::abort();
  if (container_content(open().root) != content) std::abort();
  return 0;
}
