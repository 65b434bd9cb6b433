// Counts the heap of the program: with the hooks of AddressSanitizer, otherwise with our own
// operators new and delete. The latter do not count what libraries allocate with malloc.
#include "tests/hostile/heap_count.h"

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define SHINGLED_HEAP_HOOKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHINGLED_HEAP_HOOKS
#endif
#endif

#if defined(SHINGLED_HEAP_HOOKS)
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>

#include <cstdlib>
#include <new>
#endif

namespace shingled::hostile {

namespace {

std::atomic<std::int64_t> in_use{0};
std::atomic<std::int64_t> peak{0};

void add(std::size_t bytes) {
  const std::int64_t now =
      in_use.fetch_add(static_cast<std::int64_t>(bytes)) + static_cast<std::int64_t>(bytes);
  std::int64_t most = peak.load();
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
}

void remove(std::size_t bytes) { in_use.fetch_sub(static_cast<std::int64_t>(bytes)); }

#if defined(SHINGLED_HEAP_HOOKS)
void on_malloc(const volatile void*, std::size_t bytes) { add(bytes); }
void on_free(const volatile void* block) {
  remove(__sanitizer_get_allocated_size(const_cast<const void*>(block)));
}
const int kHooked = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
#else
void* take(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  add(::malloc_usable_size(block));
  return block;
}

void give(void* block) {
  if (block == nullptr) return;
  remove(::malloc_usable_size(block));
  std::free(block);
}
#endif

}  // namespace

std::uint64_t heap_bytes() { return static_cast<std::uint64_t>(in_use.load()); }
std::uint64_t heap_peak_bytes() { return static_cast<std::uint64_t>(peak.load()); }
void reset_heap_peak() { peak.store(in_use.load()); }

}  // namespace shingled::hostile

#if !defined(SHINGLED_HEAP_HOOKS)
// The other variants of the standard library call these.
void* operator new(std::size_t bytes) { return shingled::hostile::take(bytes); }
void operator delete(void* block) noexcept { shingled::hostile::give(block); }
void operator delete(void* block, std::size_t) noexcept { shingled::hostile::give(block); }
#endif
