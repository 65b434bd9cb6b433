// Exact search: one signature in a million, and compared with `ssdeep -m` in 100 000.
//
//   similar_search [SIGNATURES]      1000000
//
// The signatures have the lengths and block sizes of files of 200 KB on average (log-normal,
// sigma 1.2). Every tenth is a changed copy of an earlier one. Half of the questions are changed
// copies, half are new.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "storage/similar/sample_index.h"
#include "tests/bench/similar_worlds.h"
#include "tests/support/temporary_directory.h"

namespace shingled::bench {
namespace {

using fingerprint::Spamsum;
using storage::similar::GramIndex;
using storage::similar::SampleIndex;

constexpr std::size_t kBesideSsdeep = 100'000;
constexpr std::size_t kQuestions = 10'000;
constexpr std::size_t kQuestionFiles = 20;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Signatures {
 public:
  Spamsum next() {
    if (!made_.empty() && numbers_() % 10 == 0) {
      made_.push_back(changed(made_[numbers_() % made_.size()], numbers_));
    } else {
      made_.push_back(fresh());
    }
    return made_.back();
  }
  Spamsum question() {
    return numbers_() % 2 == 0 ? fresh() : changed(made_[numbers_() % made_.size()], numbers_);
  }

 private:
  Spamsum fresh() { return signature_of_size(file_size(200'000, 1.2, numbers_), numbers_); }

  Numbers numbers_{1};
  std::vector<Spamsum> made_;
};

void load(SampleIndex& index, std::uint64_t id, const Spamsum& signature) {
  index.load({.id = id,
              .list = "bench",
              .name = "file " + std::to_string(id),
              .signature = signature,
              .parts = ""});
  if (id % 1000 != 0) return;
  while (auto merge = index.next_merge(GramIndex::Which::kFull)) index.apply(*std::move(merge));
}

void search_in(std::size_t count) {
  Signatures signatures;
  SampleIndex index({.exact = true, .parts = false});
  std::vector<Spamsum> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(signatures.next());
  const std::uint64_t between = resident_bytes();
  const auto start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) load(index, i + 1, made[i]);
  index.settle();
  const double filled = seconds_since(start);
  const std::uint64_t after = resident_bytes();

  std::vector<double> times;
  std::size_t found = 0;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    const Spamsum question = signatures.question();
    const auto begin = Clock::now();
    found += index.similar(question, 10).size();
    times.push_back(seconds_since(begin) * 1e6);
  }
  std::sort(times.begin(), times.end());
  std::printf(
      "%zu signatures: index %.0f MB (resident %+.0f), filled in %.1f s; %zu questions, %zu "
      "matches; µs: median %.1f, p99 %.1f, most %.1f\n",
      count, static_cast<double>(index.counts().bytes) / 1e6,
      (static_cast<double>(after) - static_cast<double>(between)) / 1e6, filled, kQuestions, found,
      times[times.size() / 2], times[times.size() * 99 / 100], times.back());
}

/// The seconds that a command takes, and its output lines.
std::pair<double, std::size_t> run(const std::string& command) {
  const auto start = Clock::now();
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> some{};
  std::size_t lines = 0;
  while (std::fgets(some.data(), some.size(), pipe) != nullptr) ++lines;
  if (::pclose(pipe) != 0 && lines == 0) std::printf("(no line from: %s)\n", command.c_str());
  return {seconds_since(start), lines};
}

void beside_ssdeep() {
  const shingled::testing::TemporaryDirectory folder;
  Signatures signatures;
  SampleIndex index({.exact = true, .parts = false});
  std::vector<Spamsum> questions;
  std::string names;
  for (std::size_t i = 0; i < kQuestionFiles; ++i) {
    Numbers numbers(i + 99);
    const std::string bytes = noise(file_size(200'000, 1.2, numbers), numbers);
    const std::string name = folder.file(("question" + std::to_string(i)).c_str());
    std::ofstream(name, std::ios::binary) << bytes;
    names += " " + name;
    questions.push_back(fingerprint::spamsum(bytes));
  }
  const std::string csv = folder.file("known.csv");
  {
    std::ofstream out(csv);
    out << "ssdeep,1.1--blocksize:hash:hash,filename\n";
    Numbers numbers(5);
    for (std::size_t i = 0; i < kBesideSsdeep; ++i) {
      const Spamsum signature = i % 1000 == 500 && i / 1000 < kQuestionFiles
                                    ? changed(questions[i / 1000], numbers)
                                    : signatures.next();
      load(index, i + 1, signature);
      out << signature.text() << ",\"file " << i + 1 << "\"\n";
    }
    index.settle();
  }
  std::size_t found = 0;
  constexpr int kRounds = 200;
  const auto start = Clock::now();
  for (int round = 0; round < kRounds; ++round) {
    for (const Spamsum& question : questions) found += index.similar(question, 1000).size();
  }
  const double ours = seconds_since(start) / kRounds / kQuestionFiles;
  const std::string first = names.substr(1, names.find(' ', 1) - 1);
  const auto [one, one_lines] = run("ssdeep -s -m " + csv + " " + first);
  const auto [all, lines] = run("ssdeep -s -m " + csv + names);
  const double theirs = (all - one) / (kQuestionFiles - 1);
  std::printf(
      "%zu signatures, %zu questions: ours %.1f µs a search, %zu matches; ssdeep -m %.0f ms a "
      "file once all is read (%.0f ms with it), %zu matches; %.0f (%.0f) times\n",
      kBesideSsdeep, kQuestionFiles, ours * 1e6, found / kRounds, theirs * 1e3, one * 1e3, lines,
      theirs / ours, one / ours);
}

}  // namespace
}  // namespace shingled::bench

int main(int argc, char** argv) {
  shingled::bench::beside_ssdeep();
  shingled::bench::search_in(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000);
  return 0;
}
