// How many parts of files are found, by block size: recall, look-ups and memory.
//
//   similar_recall [FILES [BLOCK_SIZE...]]     1000000 files; 512 640 768 896 1024
//
// FILES files of 100 KB on average (log-normal). 1000 of them are made as real bytes, half of them
// noise and half text, and signed. The free forms of the others are drawn at random with the same
// statistics. Then a piece of 10 KB of each of the 1000 is looked up, alone and inside another file
// of 100 KB on average. "Found first": the file is the first answer; also with at least 2, or 4,
// shared n-grams.
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "storage/similar/sample_index.h"
#include "tests/bench/similar_worlds.h"

namespace shingled::bench {
namespace {

using fingerprint::spamsum_parts;
using storage::similar::GramIndex;
using storage::similar::SampleIndex;

constexpr std::size_t kTrials = 1000;
constexpr std::size_t kPiece = 10'000;
constexpr double kMean = 100'000;
constexpr double kSigma = 0.5;

std::string real_file(std::uint64_t number) {
  Numbers numbers(number * 7919 + 1);
  const std::size_t size = std::max(file_size(kMean, kSigma, numbers), kPiece);
  return number % 2 == 0 ? noise(size, numbers) : prose(size, numbers);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Filled {
  SampleIndex index{{.exact = false, .parts = true}};
  std::size_t letters = 0;       ///< of all files
  std::size_t real_letters = 0;  ///< of the files made as real bytes
  double seconds = 0;
};

void fill(Filled& filled, std::size_t files, std::uint64_t block_size) {
  Numbers numbers(block_size);
  const std::size_t step = files / kTrials;
  std::vector<std::string> real;
  for (std::size_t i = 0; i < kTrials; ++i) real.push_back(spamsum_parts(real_file(i), block_size));
  const std::clock_t start = std::clock();
  for (std::size_t i = 0; i < files; ++i) {
    storage::Sample sample{.id = i + 1,
                           .list = "bench",
                           .name = "file " + std::to_string(i),
                           .signature = {},
                           .parts = ""};
    if (i % step == 0 && i / step < kTrials) {
      sample.parts = real[i / step];
      filled.real_letters += sample.parts.size();
    } else {
      sample.parts = parts_of_size(file_size(kMean, kSigma, numbers), block_size, numbers);
    }
    filled.letters += sample.parts.size();
    filled.index.load(sample);
    if (i % 1000 == 0) {
      while (auto merge = filled.index.next_merge(GramIndex::Which::kFull))
        filled.index.apply(*std::move(merge));
    }
  }
  filled.index.settle();
  filled.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct Asked {
  std::size_t first = 0;
  std::size_t first_of_noise = 0;
  std::size_t first_with_2 = 0;  ///< with at least 2 shared n-grams
  std::size_t first_with_4 = 0;
  std::size_t wrong_with_2 = 0;  ///< another file is the first answer
  std::size_t grams = 0;
  std::size_t grams_most = 0;
  double seconds = 0;
};

Asked ask(const SampleIndex& index, std::size_t files, std::uint64_t block_size, bool embedded) {
  Asked asked;
  Numbers numbers(block_size + 17);
  std::vector<std::uint32_t> keys;
  for (std::size_t i = 0; i < kTrials; ++i) {
    const std::string file = real_file(i);
    std::string question = file.substr(numbers() % (file.size() - kPiece + 1), kPiece);
    if (embedded) {
      std::string host = real_file(kTrials + i);
      host.insert(numbers() % (host.size() + 1), question);
      question = std::move(host);
    }
    const std::string parts = spamsum_parts(question, block_size);
    fingerprint::part_keys(parts, keys);
    asked.grams += keys.size();
    asked.grams_most = std::max(asked.grams_most, keys.size());
    const auto start = std::chrono::steady_clock::now();
    const auto answers = index.sharing(parts, 5);
    asked.seconds += seconds_since(start);
    if (answers.empty()) continue;
    const bool right = answers[0].id == i * (files / kTrials) + 1;
    const unsigned shared = answers[0].shared;
    if (right) ++asked.first;
    if (right && i % 2 == 0) ++asked.first_of_noise;
    if (right && shared >= 2) ++asked.first_with_2;
    if (right && shared >= 4) ++asked.first_with_4;
    if (!right && shared >= 2) ++asked.wrong_with_2;
  }
  return asked;
}

void print(const char* what, const Asked& asked) {
  const auto percent = [](std::size_t found, std::size_t of) {
    return 100.0 * static_cast<double>(found) / static_cast<double>(of);
  };
  std::printf(" %s | %.1f (%.1f, %.1f) | %.1f | %.1f | %.1f | %.1f / %zu | %.0f |\n", what,
              percent(asked.first, kTrials), percent(asked.first_of_noise, kTrials / 2),
              percent(asked.first - asked.first_of_noise, kTrials / 2),
              percent(asked.first_with_2, kTrials), percent(asked.first_with_4, kTrials),
              percent(asked.wrong_with_2, kTrials), static_cast<double>(asked.grams) / kTrials,
              asked.grams_most, asked.seconds / kTrials * 1e6);
}

void run(std::size_t files, std::uint64_t block_size) {
  ::malloc_trim(0);  // memory of the previous block size
  const std::uint64_t before = resident_bytes();
  Filled filled;
  fill(filled, files, block_size);
  std::printf("| %llu | %.0f (%.0f) | %.0f (%.0f) | %.1f |",
              static_cast<unsigned long long>(block_size),
              static_cast<double>(filled.letters) / static_cast<double>(files),
              static_cast<double>(filled.real_letters) / kTrials,
              static_cast<double>(filled.index.counts().bytes) / 1e6,
              static_cast<double>(resident_bytes() - before) / 1e6, filled.seconds);
  print("alone", ask(filled.index, files, block_size, false));
  std::printf("| | | | |");
  print("inside", ask(filled.index, files, block_size, true));
  std::fflush(stdout);
}

}  // namespace
}  // namespace shingled::bench

int main(int argc, char** argv) {
  const std::size_t files = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::vector<std::uint64_t> sizes = {512, 640, 768, 896, 1024};
  if (argc > 2) sizes.clear();
  for (int i = 2; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  std::printf(
      "%zu files\n\n"
      "| block size | characters a file (real ones) | MB of index (resident) | filled in s of CPU "
      "| piece | found first %% (noise, text) | sharing 2 | sharing 4 | another first, sharing 2 "
      "| look-ups: mean / most | \u00b5s |\n"
      "|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|\n",
      files);
  for (const std::uint64_t size : sizes) shingled::bench::run(files, size);
  return 0;
}
