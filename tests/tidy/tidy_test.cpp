// Covers what a reviewer should not have to look for: foreign headers outside their wrappers, files
// that are too long, stray tabs and blanks, paths of one machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

struct Foreign {
  std::string_view header;  ///< its beginning
  Words wrappers;           ///< files, or folders
};

TEST(Tidy, ForeignHeadersStayInTheirWrappers) {
  const std::vector<Foreign> foreign = {
      {"libmilter/", {"milter/mta/libmilter_mta", "milter/mta/milter_service.cpp"}},
      {"mimetic/", {"mime/message/"}},
      {"unicode/", {"mime/charset/", "mime/language/", "mime/url/", "mime/words/"}},
      {"libstemmer", {"mime/language/"}},
      {"libpsl", {"mime/url/host_name.cpp"}},
      {"xxhash.h", {"mime/fingerprint/", "storage/engine/", "storage/log/"}},
      {"sodium", {"mime/fingerprint/keyed_hash.cpp", "storage/crypto/"}},
      {"sqlite3", {"storage/sqlite/base/"}},
      {"hiredis/", {"storage/redis/route/"}},
      {"resolv.h", {"storage/client/name_lookup.cpp"}},
      {"arpa/nameser.h", {"storage/client/name_lookup.cpp"}},
      {"yaml-cpp/", {"config/document/yaml_document.cpp"}},
      {"spdlog/", {"milter/process/"}},
      {"systemd/", {"milter/process/"}},
      {"archive", {"mime/container/archive_reader.cpp"}},
      {"libtasn1.h", {"mime/cms/signed_data.cpp"}},
      {"zlib.h", {"mime/attachment/inflate.cpp"}},
      {"CLI/", {"milter/cli/", "milter/reference/", "milter/boosting/main.cpp"}},
      {"xgboost/", {"milter/boosting/booster.cpp"}},
      {"maxminddb.h", {"milter/counters/country_file.cpp"}},
      {"microhttpd.h", {"milter/http/http_server.cpp", "milter/http/streamed_response.cpp"}},
      {"nlohmann/",
       {"milter/cli/", "milter/api/", "milter/backup/", "milter/daemon/start.cpp", "milter/desk/",
        "milter/learning/", "milter/model/", "milter/peers/", "milter/pieces/",
        "milter/process/log_json", "milter/terminal/", "milter/transfer/", "milter/view/"}},
      {"fmt/", {"milter/", "storage/counters/", "storage/redis/counters/"}}};
  for (const std::string& name : files()) {
    if (!is_code(name) || name.starts_with("tests/")) continue;
    for (const std::string& line : lines_of(name)) {
      const std::string header = included(line, '<', '>');
      for (const Foreign& rule : foreign) {
        if (!header.starts_with(rule.header)) continue;
        EXPECT_TRUE(starts_with_any(name, rule.wrappers)) << name << " includes " << header;
      }
    }
  }
}

struct Exception {
  std::string_view file;
  std::string_view why;
};

/// The lines of our libraries with `word`, but for files where there is a reason.
std::vector<std::string> lines_with(std::string_view word, const std::vector<Exception>& but) {
  std::vector<std::string> out;
  for (const std::string& name : files()) {
    if (!is_code(name) || !starts_with_any(name, {"config/", "mime/", "storage/", "milter/"}))
      continue;
    if (std::any_of(but.begin(), but.end(), [&](const Exception& e) { return e.file == name; }))
      continue;
    for (const std::string& line : lines_of(name)) {
      if (line.find(word) != std::string::npos) out.push_back(name + ": " + line);
    }
  }
  return out;
}

// The standard library's hashes are the same everywhere: strangers can make keys that all meet in
// one bucket. mime/fingerprint/secret_hash.h has those to name instead.
TEST(Tidy, HashTablesThatStrangersFeedHaveASecret) {
  const std::vector<Exception> exceptions = {
      {"milter/http/connection_deadlines.h", "descriptors, which the kernel gives"},
      {"storage/client/exchange.h", "tags, which we draw by chance"},
      {"storage/crypto/shared_key_cache.h", "names of keys and sources, under a secret of its own"},
      {"storage/server/tcp_worker.h", "names of connections, which we count"}};
  for (const std::string_view table : {"unordered_map<", "unordered_set<"}) {
    for (const std::string& line : lines_with(table, exceptions)) {
      EXPECT_NE(line.find("Hash"), std::string::npos) << line << "\nnames no hash with a secret";
    }
  }
  const std::vector<std::string> hashes =
      lines_with("std::hash<", {{"storage/engine/record_store.cpp", "numbers of threads"}});
  EXPECT_TRUE(hashes.empty()) << hashes.front();
}

TEST(Tidy, NoFileIsTooLong) {
  for (const std::string& name : files()) {
    if (!is_ours(name)) continue;
    // Tables that somebody else wrote, and documents, are read in another way.
    const bool code = is_code(name) && !name.ends_with(".inc");
    EXPECT_LE(lines_of(name).size(), code ? 400U : 1000U) << name;
  }
}

TEST(Tidy, NoTabsAndNoBlanksAtTheEnd) {
  for (const std::string& name : files()) {
    if (!is_ours(name)) continue;
    const std::string text = read(name);
    EXPECT_TRUE(text.empty() || text.back() == '\n') << name << " lacks its last line end";
    std::size_t number = 0;
    for (const std::string& line : lines_of(name)) {
      ++number;
      EXPECT_EQ(line.find('\t'), std::string::npos) << name << ':' << number << " has a tab";
      EXPECT_FALSE(line.ends_with(' ') || line.ends_with('\r')) << name << ':' << number;
    }
  }
}

TEST(Tidy, NoPathOfOneMachine) {
  // In two pieces, so that this file has none.
  const std::array<std::string, 2> paths = {
      "/wor"
      "k/",
      "/roo"
      "t/"};
  const auto belongs_to_a_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '}';
  };
  for (const std::string& name : files()) {
    const std::string text = read(name);
    for (const std::string& path : paths) {
      for (std::size_t at = text.find(path); at != std::string::npos;
           at = text.find(path, at + 1)) {
        EXPECT_TRUE(at > 0 && belongs_to_a_name(text[at - 1])) << name << " names " << path;
      }
    }
  }
}

}  // namespace
}  // namespace shingled::tidy
