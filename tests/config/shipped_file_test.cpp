// Covers packaging/shingled.yaml: every key of the loader, with its default and a comment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "config/document/yaml_document.h"
#include "config/loader.h"

namespace shingled::config {
namespace {

std::string shipped_file() {
  std::ifstream in(SHINGLED_SOURCE_DIR "/packaging/shingled.yaml", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void collect_keys(const YamlNode& node, const std::string& path, std::set<std::string>& out) {
  for (const YamlNode& entry : node.items) {
    const std::string key = path.empty() ? entry.key : path + '.' + entry.key;
    out.insert(key);
    if (entry.kind == YamlNode::Kind::kMap) collect_keys(entry, key, out);
  }
}

TEST(ShippedFile, IsTheDefaultsFieldByField) {
  Diagnostics diagnostics("shingled.yaml");
  const Settings settings = load(shipped_file(), {}, diagnostics);
  for (const Problem& problem : diagnostics.problems()) ADD_FAILURE() << problem.to_string();
  const Settings defaults;
  EXPECT_EQ(settings.daemon, defaults.daemon);
  EXPECT_EQ(settings.milter.on_failure, defaults.milter.on_failure);
  EXPECT_EQ(settings.milter.actions, defaults.milter.actions);
  EXPECT_EQ(settings.milter.headers, defaults.milter.headers);
  EXPECT_EQ(settings.milter, defaults.milter);
  EXPECT_EQ(settings.mime, defaults.mime);
  EXPECT_EQ(settings.ratelimit, defaults.ratelimit);
  EXPECT_EQ(settings.similar, defaults.similar);
  EXPECT_EQ(settings.counters.pieces, defaults.counters.pieces);
  EXPECT_EQ(settings.counters.embedded, defaults.counters.embedded);
  EXPECT_EQ(settings.counters.shared, defaults.counters.shared);
  EXPECT_EQ(settings.counters, defaults.counters);
  EXPECT_EQ(settings.reports, defaults.reports);
  EXPECT_EQ(settings.storage.engine, defaults.storage.engine);
  EXPECT_EQ(settings.storage.server, defaults.storage.server);
  EXPECT_EQ(settings.http, defaults.http);
  ASSERT_EQ(settings.rules.size(), defaults.rules.size());
  EXPECT_EQ(settings.rules[0].hash, defaults.rules[0].hash);
  EXPECT_EQ(settings.rules[0].remote, defaults.rules[0].remote);
  EXPECT_EQ(settings.rules[0].flags, defaults.rules[0].flags);
  EXPECT_EQ(settings, defaults);
}

TEST(ShippedFile, NamesEveryKeyTheLoaderKnows) {
  const std::string text = shipped_file();
  Diagnostics diagnostics("shingled.yaml");
  static_cast<void>(load(text, {}, diagnostics));
  std::set<std::string> given;
  const auto root = parse_yaml(text, {Position::Origin::kFile, 1, 1}, "", diagnostics);
  collect_keys(*root, "", given);
  for (const std::string& key : diagnostics.asked()) EXPECT_THAT(given, ::testing::Contains(key));
}

TEST(ShippedFile, ExplainsEveryKey) {
  std::ifstream in(SHINGLED_SOURCE_DIR "/packaging/shingled.yaml");
  std::string line;
  bool explained_above = false;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::size_t first = line.find_first_not_of(' ');
    const bool comment = first != std::string::npos && line[first] == '#';
    const bool inside_flags = line.find("{flag:") != std::string::npos;
    const bool opens = !line.empty() && line.back() == ':';
    if (first != std::string::npos && !comment && !inside_flags && !opens) {
      EXPECT_TRUE(explained_above || line.find("  # ") != std::string::npos ||
                  line.find(" # ") != std::string::npos)
          << "line " << number << ": " << line;
    }
    explained_above = comment;
  }
}

}  // namespace
}  // namespace shingled::config
