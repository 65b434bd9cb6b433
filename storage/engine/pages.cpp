#include "storage/engine/pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <new>

#include "config/base/assert.h"
#include "config/base/guarded.h"

namespace shingled::storage::engine {
namespace {

constexpr std::size_t kPageBytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

char* map_pages(std::size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(data);
}

void unmap(char* data, std::size_t bytes) { static_cast<void>(::munmap(data, bytes)); }

/// Address ranges from which pieces are cut one after the other. A piece that is given back returns
/// its memory to the system at once; its addresses are used again when its whole range is free.
/// Threads: any thread.
class Ranges {
 public:
  /// Larger pieces come from the system directly; they fill huge pages by themselves.
  static constexpr std::size_t kPieceMax = std::size_t{8} << 20;

  char* cut(std::size_t bytes) {
    const MutexLock lock(mutex_);
    if (newest_ == ranges_.end() || newest_->second.used + bytes > kRange) add_range();
    Range& range = newest_->second;
    char* piece = newest_->first + range.used;
    range.used += bytes;
    range.live += bytes;
    return piece;
  }

  void give_back(char* piece, std::size_t bytes) {
    const MutexLock lock(mutex_);
    const auto found = std::prev(ranges_.upper_bound(piece));
    Range& range = found->second;
    SHINGLED_ASSERT(piece + bytes <= found->first + range.used && bytes <= range.live);
    range.live -= bytes;
    if (range.live != 0) return Pages::clear(piece, bytes);
    if (newest_ == found) newest_ = ranges_.end();
    unmap(found->first, kRange);
    ranges_.erase(found);
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static constexpr std::size_t kRange = 16 * kHugePage;
  struct Range {
    std::size_t used = 0;  ///< bytes that were cut, from the front
    std::size_t live = 0;  ///< of these, bytes that were not given back
  };

  void add_range() SHINGLED_REQUIRES(mutex_) {
    // The range must begin at a huge page. So one huge page more is mapped, and the rest is
    // unmapped.
    char* mapped = map_pages(kRange + kHugePage);
    const std::size_t before =
        (kHugePage - reinterpret_cast<std::uintptr_t>(mapped) % kHugePage) % kHugePage;
    if (before != 0) unmap(mapped, before);
    if (before != kHugePage) unmap(mapped + before + kRange, kHugePage - before);
    newest_ = ranges_.emplace(mapped + before, Range{}).first;
    // Only advice: everything works without it.
    static_cast<void>(::madvise(newest_->first, kRange, MADV_HUGEPAGE));
  }

  Mutex mutex_;
  std::map<char*, Range> ranges_ SHINGLED_GUARDED_BY(mutex_);
  std::map<char*, Range>::iterator newest_ SHINGLED_GUARDED_BY(mutex_) = ranges_.end();
};

/// Smaller tables are mapped alone: a huge page would be larger than all of them together.
constexpr std::size_t kAlone = 16'384;

/// Never destroyed: the pages of static objects may live longer than any other static object.
Ranges* ranges_for(Pages::Beside beside, std::size_t bytes) {
  static auto* const tables = new Ranges;
  static auto* const records = new Ranges;
  if (bytes > Ranges::kPieceMax) return nullptr;
  switch (beside) {
    case Pages::Beside::kNothing:
      return nullptr;
    case Pages::Beside::kTables:
      return bytes < kAlone ? nullptr : tables;
    case Pages::Beside::kRecords:
      return records;
  }
  return nullptr;
}

}  // namespace

Pages::Pages(std::size_t bytes, Beside beside) : bytes_(whole_pages(bytes)), beside_(beside) {
  Ranges* ranges = ranges_for(beside_, bytes_);
  data_ = ranges != nullptr ? ranges->cut(bytes_) : map_pages(bytes_);
  if (bytes_ > Ranges::kPieceMax) static_cast<void>(::madvise(data_, bytes_, MADV_HUGEPAGE));
}

Pages::~Pages() {
  if (data_ == nullptr) return;
  Ranges* ranges = ranges_for(beside_, bytes_);
  auto* const data = static_cast<char*>(data_);
  ranges != nullptr ? ranges->give_back(data, bytes_) : unmap(data, bytes_);
}

void Pages::clear(void* data, std::size_t bytes) {
  if (::madvise(data, bytes, MADV_DONTNEED) != 0) std::memset(data, 0, bytes);
}

}  // namespace shingled::storage::engine
