// Covers mime/fingerprint/spamsum.cpp, mime/fingerprint/spamsum_compare.cpp: like ssdeep.
// Signatures and scores beside the real ssdeep. SHINGLED_SSDEEP_FILES=10000 is the whole run, a few
// hundred files are the short one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "tests/support/temporary_directory.h"

namespace shingled::fingerprint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFiles = 300;  // of the short run
constexpr std::size_t kSizeMax = 10'000'000;
constexpr std::size_t kPairsWanted = 100'000;

std::size_t files_wanted() {
  const char* asked = std::getenv("SHINGLED_SSDEEP_FILES");  // NOLINT(concurrency-mt-unsafe)
  return asked == nullptr ? kFiles : std::strtoull(asked, nullptr, 10);
}

/// What a command prints.
std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a test of another program
  if (pipe == nullptr) return out;
  std::array<char, 65536> some{};
  while (const std::size_t size = std::fread(some.data(), 1, some.size(), pipe)) {
    out.append(some.data(), size);
  }
  pclose(pipe);
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Data of every kind that hashes differ by: noise, text, repeated, periodic, with long empty
/// stretches, and changed copies of those before.
class Generator {
 public:
  std::string next() {
    const auto size = static_cast<std::size_t>(
        std::exp(std::uniform_real_distribution<double>(0, std::log(kSizeMax + 1.0))(random_)) - 1);
    std::string bytes;
    switch (random_() % 7) {
      case 0:
        bytes = noise(size, 256);
        break;
      case 1:
        bytes = noise(size, 1 + random_() % 8);
        break;
      case 2:
        bytes = text(size);
        break;
      case 3:
        bytes = period(noise(1 + random_() % 20, 256), size);
        break;
      case 4:
        bytes = period(noise(1 + random_() % 5000, 256), size);
        break;
      case 5:
        bytes = std::string(size, '\0') + noise(random_() % 1000, 256);
        break;
      default:
        bytes = changed(last_.empty() ? text(size) : last_);
        break;
    }
    if (random_() % 10 == 0) bytes += std::string(7, '\0');  // the rolling hash ends at 0
    if (bytes.size() > kSizeMax) bytes.resize(kSizeMax);
    last_ = bytes;
    return bytes;
  }

 private:
  std::string noise(std::size_t size, std::uint64_t letters) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random_() % letters);
    return bytes;
  }
  std::string text(std::size_t size) {
    std::string out;
    while (out.size() < size) {
      for (auto i = 2 + random_() % 8; i > 0; --i) out += static_cast<char>('a' + random_() % 26);
      out += random_() % 12 == 0 ? '\n' : ' ';
    }
    return out;
  }
  static std::string period(const std::string& what, std::size_t size) {
    std::string out;
    while (out.size() < size) out += what;
    return out;
  }
  std::string changed(std::string bytes) {
    for (auto i = 1 + random_() % 5; i > 0; --i) {
      const std::size_t at = random_() % (bytes.size() + 1);
      if (random_() % 2 == 0) {
        bytes.insert(at, noise(random_() % 300, 256));
      } else {
        bytes.erase(at, random_() % 300);
      }
    }
    return bytes;
  }
  std::mt19937_64 random_{20'261'122};
  std::string last_;
};

class SsdeepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (output_of("ssdeep -V 2>/dev/null").empty()) GTEST_SKIP() << "ssdeep is not installed";
  }
  const shingled::testing::TemporaryDirectory directory_;
  const fs::path folder_ = directory_.path();
};

TEST_F(SsdeepTest, SignsEveryGeneratedFileAsItDoes) {
  Generator generator;
  std::size_t compared = 0;
  constexpr std::size_t kAtOnce = 50;
  for (std::size_t left = files_wanted(); left > 0;) {
    std::map<std::string, std::string> ours;
    for (std::size_t i = 0; i < kAtOnce && left > 0; ++i, --left) {
      const std::string bytes = generator.next();
      const std::string path = folder_ / std::to_string(i);
      std::ofstream(path, std::ios::binary) << bytes;
      ours[path] = spamsum(bytes).text();
    }
    for (const std::string& line : lines_of(output_of("ssdeep -s " + folder_.string() + "/*"))) {
      const std::size_t name = line.find(",\"");
      if (name == std::string::npos) continue;  // the headline
      const std::string path = line.substr(name + 2, line.size() - name - 3);
      EXPECT_EQ(ours[path], line.substr(0, name))
          << "seed and order decide; file size " << fs::file_size(path);
      ++compared;
    }
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry);
  }
  EXPECT_EQ(compared, files_wanted()) << "each was compared";
}

TEST_F(SsdeepTest, SignsTheCorpusAsItDoes) {
  const fs::path corpus = fs::path(SHINGLED_SOURCE_DIR) / "../shared/corpus";
  if (!fs::exists(corpus)) GTEST_SKIP() << corpus << " is not here";
  std::size_t compared = 0;
  for (const std::string& line : lines_of(output_of("ssdeep -s -r " + corpus.string()))) {
    const std::size_t name = line.find(",\"");
    if (name == std::string::npos) continue;
    const std::string path = line.substr(name + 2, line.size() - name - 3);
    EXPECT_EQ(spamsum(content_of(path)).text(), line.substr(0, name)) << path;
    ++compared;
  }
  EXPECT_GT(compared, 1000U);
}

TEST_F(SsdeepTest, CountsTheScoreOfEveryPairAsItDoes) {
  // Families of changed copies, so that there are scores of every height; from 450 signatures come
  // 101 025 pairs.
  std::mt19937_64 random(7);
  std::vector<std::string> signatures;
  std::string data;
  for (int i = 0; i < 450; ++i) {
    if (i % 15 == 0) {
      data.resize(200 + random() % 60'000);
      for (char& c : data) c = static_cast<char>(random());
    }
    const std::size_t at = random() % data.size();
    for (std::size_t j = at; j < std::min(data.size(), at + data.size() / 40); ++j) {
      data[j] = static_cast<char>(random());
    }
    if (i % 3 == 0) data.append(data.size() / 9, static_cast<char>(i));
    signatures.push_back(spamsum(data).text());
  }
  const fs::path file = folder_ / "signatures";
  {
    std::ofstream out(file);
    out << "ssdeep,1.1--blocksize:hash:hash,filename\n";
    for (std::size_t i = 0; i < signatures.size(); ++i) {
      out << signatures[i] << ",\"" << i << "\"\n";
    }
  }
  std::size_t pairs = 0;
  std::size_t alike = 0;
  for (const std::string& line : lines_of(output_of("ssdeep -x -a -c " + file.string()))) {
    unsigned one = 0;
    unsigned other = 0;
    int score = 0;
    // NOLINTNEXTLINE(cert-err34-c): a line that is otherwise is no pair
    if (std::sscanf(line.c_str(), "\"%u\",\"%u\",%d", &one, &other, &score) != 3) continue;
    const auto parsed = [&](unsigned i) { return Spamsum::parse(signatures.at(i)).value(); };
    ASSERT_EQ(spamsum_score(parsed(one), parsed(other)), score)
        << signatures.at(one) << ' ' << signatures.at(other);
    ++pairs;
    alike += score > 0 ? 1U : 0U;
  }
  EXPECT_GE(pairs, kPairsWanted);
  EXPECT_GT(alike, 2000U) << "scores of every height";
}

}  // namespace
}  // namespace shingled::fingerprint
