#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>

#include "mime/fingerprint/spamsum.h"

namespace shingled::bench {

/// A fast random generator (splitmix64) that can be copied and started again.
class Numbers {
 public:
  using result_type = std::uint64_t;
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27U) * 0x94d049bb133111eb;
    return z ^ z >> 31U;
  }

 private:
  std::uint64_t state_;
};

inline char random_letter(Numbers& numbers) {
  return fingerprint::kSpamsumAlphabet[numbers() % 64];
}

/// Random bytes, as in compressed files.
inline std::string noise(std::size_t size, Numbers& numbers) {
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(numbers());
  return out;
}

/// Text: words of 2 to 9 letters, common ones often, with sentences and lines.
inline std::string prose(std::size_t size, Numbers& numbers) {
  std::string out;
  while (out.size() < size) {
    Numbers letters(numbers() % (numbers() % 20'000 + 1));
    const std::size_t length = 2 + letters() % 8;
    for (std::size_t i = 0; i < length; ++i) out += static_cast<char>('a' + letters() % 26);
    const std::uint64_t end = numbers() % 60;
    out += end < 4 ? ". " : end < 8 ? ", " : end < 12 ? "\n" : " ";
  }
  out.resize(size);
  return out;
}

/// The size of a file, log-normal; `mean` bytes on average.
inline std::size_t file_size(double mean, double sigma, Numbers& numbers) {
  std::lognormal_distribution<double> sizes(std::log(mean) - sigma * sigma / 2, sigma);
  return static_cast<std::size_t>(sizes(numbers));
}

/// A random free form for a file of `bytes` bytes: each byte ends a piece with a probability of
/// 1 / block_size, and all characters have the same probability.
inline std::string parts_of_size(std::size_t bytes, std::uint64_t block_size, Numbers& numbers) {
  std::poisson_distribution<std::size_t> pieces(static_cast<double>(bytes) /
                                                static_cast<double>(block_size));
  std::string out(pieces(numbers) + 1, ' ');
  for (char& c : out) c = random_letter(numbers);
  return out;
}

/// A random signature for a file of `bytes` bytes.
inline fingerprint::Spamsum signature_of_size(std::size_t bytes, Numbers& numbers) {
  using fingerprint::Spamsum;
  std::uint64_t size = Spamsum::kBlockSizeMin;
  while (size * Spamsum::kFirstMax < bytes) size *= 2;
  for (;; size /= 2) {
    std::poisson_distribution<std::size_t> pieces(static_cast<double>(bytes) /
                                                  static_cast<double>(size));
    const std::size_t cuts = pieces(numbers);
    if (cuts + 1 < Spamsum::kFirstMax / 2 && size > Spamsum::kBlockSizeMin) continue;
    Spamsum out{size, std::string(std::min<std::size_t>(cuts, 63) + 1, ' '), ""};
    for (char& c : out.first) c = random_letter(numbers);
    std::binomial_distribution<std::size_t> halved(cuts, 0.5);
    out.second.assign(std::min<std::size_t>(halved(numbers), 31) + 1, ' ');
    for (char& c : out.second) c = random_letter(numbers);
    return out;
  }
}

/// A copy of the signature, as if a few places of the file had been changed.
inline fingerprint::Spamsum changed(fingerprint::Spamsum signature, Numbers& numbers) {
  for (std::string* part : {&signature.first, &signature.second}) {
    for (std::uint64_t i = 1 + numbers() % 4; i > 0; --i)
      (*part)[numbers() % part->size()] = random_letter(numbers);
  }
  return signature;
}

inline std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace shingled::bench
