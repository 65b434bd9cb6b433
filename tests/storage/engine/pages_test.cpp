#include "storage/engine/pages.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage::engine {
namespace {

constexpr std::size_t kPage = 4096;

/// The size of this process's address space.
std::uint64_t mapped_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The words that mark a piece: the first and last of each page.
std::vector<std::uint64_t*> marks(const Pages& pages) {
  std::vector<std::uint64_t*> words;
  for (std::size_t at = 0; at < pages.bytes(); at += kPage) {
    auto* const page = static_cast<char*>(pages.data()) + at;
    words.push_back(reinterpret_cast<std::uint64_t*>(page));
    words.push_back(reinterpret_cast<std::uint64_t*>(page + kPage) - 1);
  }
  return words;
}

struct Piece {
  Pages pages;
  std::uint64_t mark;
};

Piece new_piece(Seeded& random) {
  constexpr std::array kKinds = {Pages::Beside::kNothing, Pages::Beside::kTables,
                                 Pages::Beside::kRecords};
  constexpr std::size_t kLargest = std::size_t{9} << 20;  // larger than a piece of a range
  const std::size_t bytes = random() % 50 == 0 ? kLargest : kPage * (1 + random() % 100) - 7;
  Piece piece{Pages(bytes, kKinds[random() % kKinds.size()]), random() | 1};
  EXPECT_GE(piece.pages.bytes(), bytes);
  for (std::uint64_t* word : marks(piece.pages)) {
    EXPECT_EQ(*word, 0U) << "new memory is zeroed, also if it was used before";
    *word = piece.mark;
  }
  return piece;
}

void take_and_give_back(std::uint64_t seed, std::size_t steps) {
  Seeded random(seed);
  std::vector<Piece> pieces;
  for (std::size_t step = 0; step < steps; ++step) {
    if (random() % 100 < 52 || pieces.empty()) {
      pieces.push_back(new_piece(random));
      continue;
    }
    std::swap(pieces[random() % pieces.size()], pieces.back());
    for (const std::uint64_t* word : marks(pieces.back().pages))
      ASSERT_EQ(*word, pieces.back().mark) << "no other piece has this memory";
    pieces.pop_back();
  }
}

TEST(Pages, NeverOverlapAndAlwaysBeginZeroed) { take_and_give_back(1, 3000); }

TEST(Pages, AreTakenFromSeveralThreads) {
  std::vector<std::jthread> threads;
  for (std::uint64_t seed = 2; seed < 6; ++seed)
    threads.emplace_back([seed] { take_and_give_back(seed, 800); });
}

TEST(Pages, GiveBackTheirAddressesToo) {
  take_and_give_back(7, 500);  // now everything exists that is never freed
  const std::uint64_t before = mapped_bytes();
  for (std::uint64_t round = 0; round < 20; ++round) take_and_give_back(8 + round, 500);
  EXPECT_LE(mapped_bytes(), before + (std::uint64_t{64} << 20));
}

TEST(Pages, ReadAsZerosAfterClearing) {
  for (const auto beside : {Pages::Beside::kNothing, Pages::Beside::kRecords}) {
    const Pages pages(10 * kPage, beside);
    auto* const bytes = static_cast<char*>(pages.data());
    std::fill(bytes, bytes + pages.bytes(), '\x7f');
    Pages::clear(bytes + kPage, 2 * kPage);
    EXPECT_EQ(std::count(bytes, bytes + pages.bytes(), '\0'), static_cast<long>(2 * kPage));
    EXPECT_EQ(bytes[kPage - 1], '\x7f');
    EXPECT_EQ(bytes[3 * kPage], '\x7f');
  }
}

}  // namespace
}  // namespace shingled::storage::engine
