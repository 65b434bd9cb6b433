#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mime/fingerprint/mumhash.h"
#include "mime/language/script.h"

/// The trigrams of languages: a hash table of mime/language/data/trigrams.txt. The build writes it
/// as source code (make_trigram_table.cpp), so nothing is read or built at run time.
/// Threads: constant.
namespace shingled::mime {

inline constexpr std::size_t kTrigramLanguagesMax = 64;

/// Three letters in lower case; a space stands for the edge of a word.
struct Trigram {
  Alphabet alphabet = Alphabet::kLatin;
  std::uint32_t letters[3] = {};
};

/// A language that has a trigram. Bits: the share of the trigram in the language in millionths
/// (20), the number of votes that follow (6), the language (6).
struct TrigramVote {
  std::uint32_t bits = 0;
  [[nodiscard]] constexpr std::uint32_t share() const { return bits >> 12; }
  [[nodiscard]] constexpr std::uint32_t following() const { return bits >> 6 & 0x3F; }
  [[nodiscard]] constexpr std::size_t language() const { return bits & 0x3F; }
};

struct TrigramTable {
  /// Open addressing. A slot has the key (44 bits) and the index of its first vote (17 bits), or 0.
  std::span<const std::uint64_t> slots;
  std::span<const TrigramVote> votes;
  std::span<const std::string_view> languages;
};

inline constexpr unsigned kVoteIndexBits = 17;
inline constexpr unsigned kTrigramLetterBits = 14;

/// A unique number for each trigram; 0 if a letter cannot be in the table.
constexpr std::uint64_t trigram_key(const Trigram& trigram) {
  std::uint64_t key = static_cast<std::uint64_t>(trigram.alphabet);
  for (const std::uint32_t letter : trigram.letters) {
    if (letter == 0 || letter >> kTrigramLetterBits != 0) return 0;
    key = key << kTrigramLetterBits | letter;
  }
  return key;
}

/// The slot where the search for a key begins, less than `slots`.
constexpr std::size_t first_slot(std::uint64_t key, std::size_t slots) {
  return static_cast<std::size_t>((key * fingerprint::kGoldenRatio >> 32) * slots >> 32);
}

/// The table of the program.
const TrigramTable& trigram_table();

/// The votes of a trigram; empty if it is not in the table.
inline std::span<const TrigramVote> find_votes(const TrigramTable& table, const Trigram& trigram) {
  const std::uint64_t key = trigram_key(trigram);
  if (key == 0) return {};
  std::size_t slot = first_slot(key, table.slots.size());
  while (table.slots[slot] != 0) {
    if (table.slots[slot] >> kVoteIndexBits == key) {
      const std::size_t first = table.slots[slot] & ((1U << kVoteIndexBits) - 1);
      return table.votes.subspan(first, table.votes[first].following() + std::size_t{1});
    }
    if (++slot == table.slots.size()) slot = 0;
  }
  return {};
}

}  // namespace shingled::mime
