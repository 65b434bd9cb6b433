// Covers packaging/man/shingled.yaml.5: the same keys and defaults as the loader and shingled.yaml.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "config/document/yaml_document.h"
#include "config/loader.h"

namespace shingled::config {
namespace {

std::string read(const std::string& name) {
  std::ifstream in(SHINGLED_SOURCE_DIR "/packaging/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What makes the loader ask for the keys that are in maps of the reader's own.
constexpr std::string_view kOptionalMaps = R"(
storage:
  keypair: {extensions: {ratelimit: {}}}
  sync_keypair: {}
  mirror: {}
similar:
  lists: [{}]
policy:
  rules: {LOCAL: {}}
rules:
  local: {checks: {}, flags: {denied: {}}}
)";

/// "rules.local.flags.denied.weight" as the page names it, or nothing: it is said elsewhere.
std::optional<std::string> page_name(std::string key) {
  if (key.starts_with("storage.sync_keypair.")) return std::nullopt;  // as storage.keypair
  for (const auto& [ours, theirs] :
       {std::pair{"rules.local.", "rules.NAME."},
        {"policy.rules.LOCAL.", "policy.rules.NAME."},
        std::pair{"similar.lists[0].", "similar.lists."},
        std::pair{"rules.NAME.flags.denied.", "rules.NAME.flags.LIST."}}) {
    if (key.starts_with(ours)) key = theirs + key.substr(std::string_view(ours).size());
  }
  return key;
}

std::set<std::string> asked_for() {
  std::set<std::string> out;
  for (const std::string_view text : {std::string_view(""), kOptionalMaps}) {
    Diagnostics diagnostics("test");
    static_cast<void>(load(text, {}, diagnostics));
    for (const std::string& key : diagnostics.asked()) {
      if (const auto name = page_name(key)) out.insert(*name);
    }
  }
  return out;
}

/// ".BR KEY \" (TYPE, default VALUE)\"" as the key and the rest, or nothing.
std::optional<std::pair<std::string, std::string>> parse_tag(std::string_view line) {
  if (!line.starts_with(".BR ") && !line.starts_with(".B ")) return std::nullopt;
  line.remove_prefix(line.find(' ') + 1);
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view key = line.substr(0, end);
  if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view rest = line.substr(std::min(end + 1, line.size()));
  if (rest.size() >= 2 && rest.front() == '"' && rest.back() == '"') {
    rest = rest.substr(1, rest.size() - 2);
  }
  return std::pair(std::string(key), std::string(rest));
}

/// The page without what escapes its minus signs.
std::string page_text() {
  std::string text = read("man/shingled.yaml.5");
  for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

/// Every key of the page with the rest of its tag, such as " (bool, default true)".
std::map<std::string, std::string> described() {
  std::map<std::string, std::string> out;
  std::istringstream page(page_text());
  std::string section;
  std::string line;
  bool tag_follows = false;
  while (std::getline(page, line)) {
    const auto tag = tag_follows && !section.empty() ? parse_tag(line) : std::nullopt;
    if (line.starts_with(".SS ")) {
      section = line.substr(4);
    } else if (line.starts_with(".SH ")) {
      section.clear();
    } else if (tag) {
      const bool fresh = out.emplace(section + '.' + tag->first, tag->second).second;
      EXPECT_TRUE(fresh) << section << ": " << line << " stands twice";
    }
    tag_follows = line == ".TP" || line == ".TQ";
  }
  return out;
}

/// A default of the shipped file as the page shows it. A score that is null is "off"; the one from
/// which mail counts as spam then has another source.
std::string shown(const std::string& key, const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return key == "counters.spam_from" ? "none" : "off";
    case YamlNode::Kind::kScalar:
      return node.text.empty() ? "none" : node.text;
    case YamlNode::Kind::kMap:
      return "";
    case YamlNode::Kind::kList:
      break;
  }
  std::string out;
  for (const YamlNode& item : node.items) out += (out.empty() ? "" : ", ") + item.text;
  return out.empty() ? "none" : out;
}

void expect_defaults(const YamlNode& node, const std::string& path,
                     const std::map<std::string, std::string>& page) {
  for (const YamlNode& entry : node.items) {
    const std::string key = path.empty() ? entry.key : path + '.' + entry.key;
    if (entry.kind == YamlNode::Kind::kMap) {
      if (key != "rules.local.flags") expect_defaults(entry, key, page);
      continue;
    }
    const auto described = page.find(*page_name(key));
    if (described == page.end()) continue;  // another test says so
    const std::string want = ", default " + shown(key, entry);
    EXPECT_TRUE(described->second.ends_with(want + ")") ||
                described->second.ends_with(want + ", restart)"))
        << key << described->second << "; shingled.yaml says " << shown(key, entry);
  }
}

TEST(ManualPage, NamesEveryKeyTheLoaderKnowsAndNoOther) {
  const std::map<std::string, std::string> page = described();
  std::set<std::string> names;
  for (const auto& [name, tag] : page) names.insert(name);
  EXPECT_THAT(names, ::testing::ContainerEq(asked_for()));
}

TEST(ManualPage, HasTheDefaultsOfTheShippedFile) {
  Diagnostics diagnostics("shingled.yaml");
  const auto root =
      parse_yaml(read("shingled.yaml"), {Position::Origin::kFile, 1, 1}, "", diagnostics);
  ASSERT_TRUE(root);
  expect_defaults(*root, "", described());
}

}  // namespace
}  // namespace shingled::config
