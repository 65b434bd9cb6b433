// Covers config/sections/settings_keys.cpp and config/keys/forms.cpp: the table of options is what
// shingled.yaml and the tags of shingled.yaml(5) say. UPDATE_GOLDEN=1 writes both from it; the
// texts of the page and the prose of the file are written by people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/document/yaml_document.h"
#include "config/reference/key_text.h"
#include "config/sections/settings_keys.h"

namespace shingled::config {
namespace {

/// A line of the table as documents show it.
struct Shown {
  std::string value;    ///< YAML on one line
  std::string comment;  ///< of the shipped file
  std::string tag;      ///< of the page, such as " (duration, default 5s)"
};
using Table = std::map<std::string, Shown>;

std::optional<YamlNode> parsed(const std::string& yaml) {
  Diagnostics diagnostics("value");
  return parse_yaml(yaml, {Position::Origin::kFile, 1, 1}, "", diagnostics);
}

/// The page shows lists without brackets and texts without quotes.
std::string default_of(const std::string& yaml, const std::string& none) {
  const auto node = parsed(yaml);
  if (!node || node->kind == YamlNode::Kind::kNull) return none;
  if (node->kind == YamlNode::Kind::kScalar) return node->text.empty() ? none : node->text;
  std::string out;
  for (const YamlNode& item : node->items) out += (out.empty() ? "" : ", ") + item.text;
  return out.empty() ? none : out;
}

template <typename Root>
void add(const Keys<Root>& keys, const Root& defaults, const std::string& path, bool in_list,
         Table& out) {
  for (const Key<Root>& key : keys) {
    const std::string name = within(path, key->name);
    const auto value = key->value(defaults);
    if (!value) {
      add(key->keys(), defaults, name, in_list, out);
    } else if (!key->type().empty()) {
      std::string tag = " (" + key->type();
      if (!in_list) tag += ", default " + default_of(*value, key->none());
      if (key->required()) tag += ", required";
      if (key->at_start) tag += ", restart";
      out[name] = {*value, comment_of(key), tag + ')'};
    }
  }
}

Table table() {
  Table out;
  add(settings_keys(), Settings{}, "", false, out);
  add(rule_keys(), RuleOptions{}, "rules.NAME", false, out);
  add(flag_keys(), FlagOptions{}, "rules.NAME.flags.LIST", true, out);
  add(similar_list_keys(), SimilarList{}, "similar.lists", true, out);
  return out;
}

/// The keys that the page describes but typed readers read.
bool is_of_a_reader(const std::string& key) {
  for (const char* map : {"storage.keypair.", "storage.mirror.", "policy.rules.NAME.",
                          "ratelimit.rates.", "rules.NAME.checks."}) {
    if (key.starts_with(map)) return true;
  }
  return false;
}

std::string read(const std::string& name) {
  std::ifstream in(SHINGLED_SOURCE_DIR "/packaging/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_file(const std::string& name, const std::string& wanted) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(SHINGLED_SOURCE_DIR "/packaging/" + name, std::ios::binary) << wanted;
    return;
  }
  std::istringstream is(read(name));
  std::istringstream should(wanted);
  int number = 1;
  for (std::string a, b; std::getline(should, b); ++number) {
    std::getline(is, a);
    ASSERT_EQ(a, b) << name << ':' << number << "; UPDATE_GOLDEN=1 writes it from the table";
  }
}

/// "  key: value  # comment", the comment in lines of at most 118 bytes.
std::string yaml_line(std::size_t indent, const std::string& key, const Shown& shown) {
  constexpr std::size_t kCommentColumn = 28;
  constexpr std::size_t kWidth = 118;
  std::string line = std::string(indent, ' ') + key + ": " + shown.value;
  if (shown.comment.empty()) return line + '\n';
  line += line.size() < kCommentColumn - 1 ? std::string(kCommentColumn - line.size(), ' ') : "  ";
  line += '#';
  std::string out;
  std::istringstream words(shown.comment);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kWidth) {
      out += line + '\n';
      line = std::string(kCommentColumn, ' ') + '#';
    }
    line += ' ' + word;
  }
  return out + line + '\n';
}

/// The shipped file line by line: a key has the lines of its comment beside it.
class ShippedFile {
 public:
  explicit ShippedFile(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) take(line);
    flush();
  }
  [[nodiscard]] const std::string& rewritten() const { return out_; }
  [[nodiscard]] const std::set<std::string>& keys() const { return keys_; }

 private:
  void take(const std::string& line) {
    constexpr std::size_t kBeside = 20;  // less: a comment above the next key
    const std::size_t at = line.find_first_not_of(' ');
    if (!key_.empty() && at != std::string::npos && line[at] == '#' && at > kBeside) {
      old_ += line + '\n';
      comment_ += line.substr(at + 1);
      return;
    }
    flush();
    if (at == std::string::npos || line[at] == '#') {
      out_ += line + '\n';
      return;
    }
    while (!path_.empty() && path_.back().first >= at) path_.pop_back();
    const std::size_t colon = line.find(':', at);
    path_.emplace_back(at, line.substr(at, colon - at));
    for (const auto& [indent, step] : path_) key_ += (key_.empty() ? "" : ".") + step;
    old_ = line + '\n';
    std::size_t beside = line.find(" # ");
    if (beside == std::string::npos) beside = line.size();
    value_ = line.substr(colon + 1, beside - colon - 1);
    comment_ = line.substr(std::min(beside + 2, line.size()));
  }

  void flush() {
    if (key_.empty()) return;
    const auto found = table_.find(page_name(key_));
    if (found == table_.end() || value_.find_first_not_of(' ') == std::string::npos) {
      out_ += old_;
    } else {
      keys_.insert(found->first);
      const auto node = parsed(value_);
      const bool same = node && flow_text(*node) == found->second.value;
      const auto& [indent, name] = path_.back();
      out_ += same && comment_ == (comment_.empty() ? "" : " ") + found->second.comment
                  ? old_
                  : yaml_line(indent, name, found->second);
    }
    key_.clear();
  }

  const Table table_ = table();
  std::vector<std::pair<std::size_t, std::string>> path_;  // of the sections around
  std::string key_;
  std::string value_;
  std::string comment_;
  std::string old_;
  std::string out_;
  std::set<std::string> keys_;
};

TEST(KeyTable, IsWhatTheShippedFileSays) {
  const ShippedFile file(read("shingled.yaml"));
  expect_file("shingled.yaml", file.rewritten());
  for (const auto& [name, shown] : table()) {
    const bool in_list = name.starts_with("similar.lists.") || name.find(".LIST.") != name.npos;
    if (in_list) continue;
    EXPECT_TRUE(file.keys().contains(name)) << name << " is not in the shipped file";
  }
}

/// The page with the tags of the table.
std::string page_with_tags() {
  const Table lines = table();
  std::istringstream page(read("man/shingled.yaml.5"));
  std::string out;
  std::string section;
  bool tag_follows = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(".SS ")) section = line.substr(4);
    if (line.starts_with(".SH ")) section.clear();
    const bool is_tag = tag_follows && !section.empty() && line.starts_with(".BR ");
    tag_follows = line == ".TP" || line == ".TQ";
    if (is_tag) {
      const std::string key = line.substr(4, line.find(' ', 4) - 4);
      const auto found = lines.find(section + '.' + key);
      if (found != lines.end()) {
        line = ".BR " + key + " \"";
        for (const char c : found->second.tag) line += (c == '-' ? "\\" : "") + std::string(1, c);
        line += '"';
      }
    }
    out += line + '\n';
  }
  return out;
}

TEST(KeyTable, IsWhatTheTagsOfTheManualPageSay) {
  expect_file("man/shingled.yaml.5", page_with_tags());
}

TEST(KeyTable, HasATextForEveryKeyAndAKeyForEveryText) {
  const Table lines = table();
  for (const auto& [name, shown] : lines) {
    const KeyText* const text = find_key(name);
    ASSERT_NE(text, nullptr) << name << " is not in shingled.yaml(5)";
    EXPECT_NE(text->meaning, "") << name;
  }
  for (const KeyText& text : key_texts()) {
    EXPECT_TRUE(lines.contains(text.name) || is_of_a_reader(text.name))
        << text.name << " is in shingled.yaml(5), but not an option";
  }
}

TEST(KeyTable, WritesValuesThatItReads) {
  for (const Key<Settings>& section : settings_keys()) {
    for (const Key<Settings>& key : section->keys()) {
      const auto value = key->value(Settings{});
      if (key->type().empty() || !value) continue;
      const auto node = parsed(*value);
      ASSERT_TRUE(node) << section->name << '.' << key->name << ": " << *value;
      EXPECT_EQ(flow_text(*node), *value) << section->name << '.' << key->name;
    }
  }
}

}  // namespace
}  // namespace shingled::config
