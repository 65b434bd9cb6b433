#include "mime/words/word_decay.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "mime/fingerprint/mumhash.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kWordsBeforeDecay = 600;
constexpr double kBytesPerWord = 6.0;
constexpr std::uint64_t kStatePrime = 0x2e0bb864e9ea7df5;
constexpr std::uint64_t kWordPrime = 0xcdb32970830fcaa1;
constexpr std::uint64_t kStepFactor = 2862933555777941757;
constexpr std::uint64_t kStepAddend = 3037000493;

/// The share of what is left that may stay, in whole tenths, as a bound on a 64-bit number.
std::uint64_t limit_for(std::size_t bytes_left) {
  const double words_left = static_cast<double>(bytes_left) / kBytesPerWord;
  const double share = std::floor(kWordsBeforeDecay / words_left * 10.0) / 10.0;
  if (share >= 1.0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::ldexp(share, 64));
}

}  // namespace

bool WordDecay::keeps(std::string_view word, std::size_t tokens, std::size_t end_offset) {
  using fingerprint::mum;
  if (decaying_) {
    state_ = state_ * kStepFactor + kStepAddend;
    return state_ <= limit_;
  }
  std::uint64_t lead = 0;
  if (word.size() >= sizeof lead) {
    std::memcpy(&lead, word.data(), sizeof lead);
    state_ = mum(state_, kStatePrime) ^ mum(lead, kWordPrime);
  }
  if (tokens > kWordsBeforeDecay && end_offset < text_bytes_) {
    state_ ^= mum(state_, fingerprint::kMumFinishPrime);
    state_ ^= mum(state_, fingerprint::kMumTailPrime);
    limit_ = limit_for(text_bytes_ - end_offset);
    decaying_ = true;
  }
  return true;
}

}  // namespace shingled::mime
