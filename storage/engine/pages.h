#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace shingled::storage::engine {

/// Zeroed memory in whole pages, taken from the system and given back to it directly: memory that
/// grows and is replaced leaves no holes in the heap. Untouched pages cost nothing. Throws
/// std::bad_alloc if there is no memory, like `new`.
/// Threads: a value.
class Pages {
 public:
  /// Which pages are placed side by side, so that huge pages can hold them together: look-ups touch
  /// random pages, and finding a huge page is faster. Memory that is given back at different times
  /// is kept apart, because a huge page is free only when all of it is.
  enum class Beside { kNothing, kTables, kRecords };

  Pages() = default;
  explicit Pages(std::size_t bytes, Beside beside = Beside::kNothing);
  ~Pages();
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        beside_(other.beside_) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(beside_, other.beside_);
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  /// Gives a part of such pages back to the system; it reads as zeros from now on.
  static void clear(void* data, std::size_t bytes);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Beside beside_ = Beside::kNothing;
};

/// An array that grows by blocks and never moves, so that readers may hold references while the
/// writer adds. There may be gaps of missing blocks. T must be usable when all its bytes are zero,
/// and must not need a destructor.
/// Threads: `ensure` and `clear_block` from one writer; `operator[]` from any thread, for indices
/// that were ensured.
template <typename T, std::size_t kBlock, std::size_t kBlocks>
class BlockArray {
  static_assert((kBlock & (kBlock - 1)) == 0, "so that the division is a shift");

 public:
  static constexpr std::size_t kSize = kBlock * kBlocks;

  BlockArray() : directory_(kBlocks * sizeof(std::atomic<T*>)) {}

  T& operator[](std::size_t index) const {
    return block_at(index).load(std::memory_order_acquire)[index % kBlock];
  }

  void ensure(std::size_t index) {
    if (block_at(index).load(std::memory_order_relaxed) != nullptr) return;
    T* block =
        static_cast<T*>(blocks_.emplace_back(kBlock * sizeof(T), Pages::Beside::kRecords).data());
    block_at(index).store(block, std::memory_order_release);
  }

  /// Sets a whole block to zeros and gives its memory back to the system.
  void clear_block(std::size_t index) {
    if (T* block = block_at(index).load(std::memory_order_relaxed); block != nullptr) {
      Pages::clear(block, kBlock * sizeof(T));
    }
  }

 private:
  [[nodiscard]] std::atomic<T*>& block_at(std::size_t index) const {
    return static_cast<std::atomic<T*>*>(directory_.data())[index / kBlock];
  }

  Pages directory_;  ///< kBlocks pointers; only the touched part is resident
  std::vector<Pages> blocks_;
};

}  // namespace shingled::storage::engine
