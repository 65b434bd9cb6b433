#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "storage/similar/sample_index.h"

namespace shingled::storage::similar::testing {

/// The reference for tests: a list of samples, and each question is compared with all of them.
class AllSamples {
 public:
  void add(const Sample& sample) { samples_.push_back(sample); }
  void remove(std::uint64_t id) {
    std::erase_if(samples_, [id](const Sample& sample) { return sample.id == id; });
  }
  [[nodiscard]] const std::vector<Sample>& all() const { return samples_; }

  [[nodiscard]] std::vector<similar::SimilarMatch> similar(const fingerprint::Spamsum& signature,
                                                           std::size_t most) const {
    const fingerprint::SpamsumMatcher matcher(signature);
    std::vector<SimilarMatch> out;
    for (const Sample& sample : samples_) {
      const int score = matcher.score(sample.signature);
      if (score > 0) out.push_back({sample.id, sample.list, sample.name, score});
    }
    std::ranges::stable_sort(out, std::ranges::greater(), &SimilarMatch::score);
    out.resize(std::min(out.size(), most));
    return out;
  }

  [[nodiscard]] std::vector<similar::PartMatch> sharing(std::string_view parts,
                                                        std::size_t most) const {
    const std::set<std::string_view> asked = grams_of(parts);
    std::vector<PartMatch> out;
    for (const Sample& sample : samples_) {
      unsigned shared = 0;
      for (const std::string_view gram : grams_of(sample.parts)) {
        if (asked.contains(gram)) ++shared;
      }
      if (shared == 0) continue;
      out.push_back(
          {sample.id, sample.list, sample.name, shared, static_cast<unsigned>(asked.size())});
    }
    std::ranges::stable_sort(out, std::ranges::greater(), &PartMatch::shared);
    out.resize(std::min(out.size(), most));
    return out;
  }

 private:
  static std::set<std::string_view> grams_of(std::string_view parts) {
    std::set<std::string_view> out;
    for (std::size_t i = 0; i + 5 <= parts.size(); ++i) out.insert(parts.substr(i, 5));
    return out;
  }

  std::vector<Sample> samples_;
};

/// Random samples, some similar and some not: new samples, and changed or cut copies of earlier
/// ones, with few different letters, long runs, short or no parts, and neighbouring block sizes.
class SampleSource {
 public:
  explicit SampleSource(std::uint64_t seed) : random_(seed) {}

  Sample next() {
    Sample sample;
    if (!made_.empty() && pick(3) != 0) sample = made_[pick(made_.size())];
    sample.list = pick(2) == 0 ? "bad" : "good";
    sample.name = "file " + std::to_string(made_.size());
    if (sample.signature.first.empty() && pick(8) != 0) {
      sample.signature = {fingerprint::Spamsum::kBlockSizeMin << pick(6), letters(65), letters(33)};
      sample.parts = letters(200);
    } else {
      change(sample.signature.first, 64);
      change(sample.signature.second, 64);
      change(sample.parts, 1'000);
      if (pick(4) == 0) sample.signature.block_size *= 2;
      if (pick(4) == 0) std::swap(sample.signature.first, sample.signature.second);
    }
    made_.push_back(sample);
    return sample;
  }

  std::size_t pick(std::size_t below) { return random_() % below; }

 private:
  std::string letters(std::size_t below) {
    static constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t different = pick(3) == 0 ? 1 + pick(3) : kLetters.size();
    std::string out(pick(below), ' ');
    for (char& c : out) c = kLetters[pick(different)];
    return out;
  }
  void change(std::string& text, std::size_t most) {
    const std::size_t at = pick(text.size() + 1);
    switch (pick(5)) {
      case 0:
        text.insert(at, letters(9));
        break;
      case 1:
        text.erase(at, pick(9));
        break;
      case 2:
        text = text.substr(at) + text.substr(0, at);
        break;
      case 3:
        text.insert(at, pick(12), 'A');
        break;
      default:
        break;
    }
    text.resize(std::min(text.size(), most));
  }

  std::mt19937_64 random_;
  std::vector<Sample> made_;
};

}  // namespace shingled::storage::similar::testing
