#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "milter/mta/message_buffer.h"
#include "mime/analyze.h"

namespace shingled::milter::mta {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEveryNth = 16;  // of the corpus: enough kinds of mail in a few seconds

std::string with_crlf(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    if (c == '\n' && !out.ends_with('\r')) out += '\r';
    out += c;
  }
  return out;
}

/// Gives a message to the buffer as an MTA gives it to a milter.
std::string through_an_mta(const std::string& message, HeaderSpacing spacing) {
  MessageBuffer buffer(message.size() * 2 + 1000, spacing);
  std::string name;
  std::string value;
  const auto flush = [&] {
    if (!name.empty()) buffer.add_header(name, value);
    name.clear();
  };
  std::size_t at = 0;
  while (at < message.size()) {
    const std::size_t end = std::min(message.find("\r\n", at), message.size());
    const std::string line = message.substr(at, end - at);
    at = std::min(end + 2, message.size());
    if (line.empty()) break;
    if (line[0] == ' ' || line[0] == '\t') {
      value += "\n" + line;
      continue;
    }
    flush();
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return {};  // an MTA would change such a header
    name = line.substr(0, colon);
    value = line.substr(colon + 1);
    if (spacing == HeaderSpacing::kStripped && value.starts_with(' ')) value.erase(0, 1);
  }
  flush();
  buffer.end_headers();
  buffer.add_body(std::string_view(message).substr(at));
  return std::string(buffer.bytes());
}

/// The hashes that storages are asked for, of the message with CRLF. An attachment that is not
/// encoded is hashed by its bytes with its line ends, so a file with LF would have another hash.
std::vector<Fingerprint> fingerprints(const std::string& message) {
  std::vector<Fingerprint> prints;
  for (const auto& hash : mime::hash_message(mime::analyze(message, {}), mime::HashRule())) {
    prints.push_back(hash.fingerprint);
  }
  return prints;
}

TEST(MessageBuffer, GivesCorpusMailTheSameHashesAsItsFiles) {
  const fs::path corpus = fs::path(SHINGLED_SHARED_DIR) / "corpus";
  if (!fs::exists(corpus)) GTEST_SKIP() << corpus << " is not there";
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() == ".eml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < files.size(); i += kEveryNth) {
    std::ifstream file(files[i], std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    const std::string original = with_crlf(bytes.str());
    const std::string kept = through_an_mta(original, HeaderSpacing::kKept);
    if (kept.empty()) continue;
    ++compared;
    EXPECT_EQ(kept, original) << files[i];
    const std::string stripped = through_an_mta(original, HeaderSpacing::kStripped);
    EXPECT_EQ(fingerprints(stripped), fingerprints(original)) << files[i];
  }
  EXPECT_GT(compared, files.size() / kEveryNth / 2);
}

}  // namespace
}  // namespace shingled::milter::mta
