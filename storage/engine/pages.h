#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace shingled::storage::engine {

/// Zeroed memory in whole pages straight from the system, and straight back to it: what grows and
/// is replaced leaves no holes in the heap. Untouched pages cost nothing. Like `new`, throws
/// std::bad_alloc when there is none.
/// Threads: a value.
class Pages {
 public:
  /// What it shall lie beside, so that huge pages can hold them together: look-ups touch random
  /// pages, and the way to a huge one is shorter. What is given back at different times is kept
  /// apart, for a huge page is free again when all of it is.
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
  /// Gives memory back to the system that lies in such pages; it reads as zeros from now on.
  static void clear(void* data, std::size_t bytes);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Beside beside_ = Beside::kNothing;
};

/// An array that grows by blocks and never moves, so that readers may hold references while the
/// writer adds. Blocks may be missing in between. T must be usable when all its bytes are zero, and
/// need no destructor.
/// Threads: `ensure` from one writer; `operator[]` from any thread for indices that were ensured.
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

  /// All of a block becomes zeros, and its memory the system's.
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
