// Covers what shingled.yaml(5) and shingled.yaml say of the type, the range and the choices of each
// option, against the loader: its bounds are tried out from both sides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "config/loader.h"
#include "config/reference/key_text.h"
#include "config/words/units.h"

namespace shingled::config {
namespace {

struct Bounds {
  double least = 0;
  double most = 0;
};

/// "rules.NAME.timeout" with this value as an override that sets it.
std::string override_of(std::string key, const std::string& value) {
  constexpr std::string_view kList = "similar.lists.";
  if (key.starts_with(kList))
    return "similar.lists=[{name: a, " + key.substr(kList.size()) + ": " + value + "}]";
  for (const auto& [theirs, ours] :
       {std::pair{".NAME.", ".local."}, {".LIST.", ".denied."}, {".TYPE", ".to"}}) {
    const std::size_t at = key.find(theirs);
    if (at != std::string::npos) key.replace(at, std::string_view(theirs).size(), ours);
  }
  return key + '=' + value;
}

/// What the loader says against this value of the key; empty if it takes it.
std::string problem_of(const std::string& key, const std::string& value) {
  Diagnostics diagnostics("test");
  const std::array overrides = {override_of(key, value)};
  static_cast<void>(load("", overrides, diagnostics));
  for (const Problem& problem : diagnostics.problems()) {
    if (problem.is_error() && page_name(problem.key) == key) return problem.what;
  }
  return "";
}

/// A value as a number, in bytes or milliseconds where it has a unit.
std::optional<double> number_of(const std::string& type, const std::string& text) {
  if (type == "size") {
    const auto size = parse_size(text);
    return size ? std::optional(static_cast<double>(*size)) : std::nullopt;
  }
  if (type == "duration") {
    const auto time = parse_duration(text);
    return time ? std::optional(static_cast<double>(time->count())) : std::nullopt;
  }
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? std::optional(number) : std::nullopt;
}

std::string text_of(const std::string& type, double number) {
  if (type == "duration") return std::to_string(std::llround(number)) + "ms";
  if (type != "real") return std::to_string(std::llround(number));
  std::ostringstream out;
  out.precision(17);
  out << number;
  return out.str();
}

/// All of "1 to 100", "1 or more", "at least 1" and "at most 100" in a text.
std::vector<Bounds> ranges_in(const std::string& type, const std::string& text) {
  static const std::regex kRange(R"(([-+\w.]+) to ([-+\w]+(\.\d+)?))");
  static const std::regex kOpen(R"(([-+\w.]+) or more|at least ([-+\w.]*\w))");
  static const std::regex kAtMost(R"(at most ([-+\w]+))");
  std::vector<Bounds> out;
  for (std::sregex_iterator it(text.begin(), text.end(), kRange), end; it != end; ++it) {
    const auto least = number_of(type, (*it)[1]);
    const auto most = number_of(type, (*it)[2]);
    if (least && most) out.push_back({*least, *most});
  }
  for (std::sregex_iterator it(text.begin(), text.end(), kOpen), end; it != end; ++it) {
    const auto least = number_of(type, (*it)[1].matched ? (*it)[1] : (*it)[2]);
    if (least) out.push_back({*least, HUGE_VAL});
  }
  for (std::sregex_iterator it(text.begin(), text.end(), kAtMost), end; it != end; ++it) {
    if (const auto most = number_of(type, (*it)[1])) out.push_back({0, *most});
  }
  return out;
}

/// A value above all bounds, and one below.
std::string huge(const std::string& type) {
  return type == "duration" ? "999999999w" : type == "size" ? "9000000T" : "1000000000000000000";
}

/// What the loader names in the text of its own problem; nothing if it takes everything.
std::optional<Bounds> bounds_of(const KeyText& key) {
  for (const std::string& value : {huge(key.type), std::string("-1e300")}) {
    if (value.front() == '-' && key.type != "real") continue;
    const auto ranges = ranges_in(key.type, problem_of(key.name, value));
    if (!ranges.empty()) return ranges.back();
  }
  return std::nullopt;
}

bool has_range(const KeyText& key) {
  return key.type == "number" || key.type == "size" || key.type == "duration" || key.type == "real";
}

/// Whether a text names these bounds. Where 0 has a meaning of its own, the text may begin with the
/// next value.
bool names(const std::string& type, const std::string& text, const Bounds& bounds) {
  for (const Bounds& range : ranges_in(type, text)) {
    const bool most = range.most == bounds.most;
    const bool next = bounds.least == 0 && (range.least == 1 || range.least == 1000);
    if (most && (range.least == bounds.least || next)) return true;
  }
  return false;
}

TEST(OptionBounds, AreWhereTheLoaderSaysTheyAre) {
  int tried = 0;
  for (const KeyText& key : key_texts()) {
    const auto bounds = has_range(key) ? bounds_of(key) : std::nullopt;
    if (!bounds) continue;
    SCOPED_TRACE(key.name);
    ++tried;
    EXPECT_EQ(problem_of(key.name, text_of(key.type, bounds->least)).find("out of range"),
              std::string::npos);
    const bool reaches_zero =
        bounds->least <= 1 || (key.type == "duration" && bounds->least <= 1000);
    if (!reaches_zero) {
      EXPECT_NE(problem_of(key.name, text_of(key.type, bounds->least - 1)), "");
    }
    if (bounds->most == HUGE_VAL) continue;
    EXPECT_EQ(problem_of(key.name, text_of(key.type, bounds->most)).find("out of range"),
              std::string::npos);
    EXPECT_NE(problem_of(key.name, text_of(key.type, bounds->most + 1)), "");
  }
  EXPECT_GT(tried, 70) << "the loader names bounds in its problems";
}

TEST(OptionBounds, AreThoseOfTheManualPage) {
  for (const KeyText& key : key_texts()) {
    if (!has_range(key)) continue;
    if (const auto bounds = bounds_of(key)) {
      EXPECT_TRUE(names(key.type, key.meaning, *bounds))
          << key.name << ": the loader takes " << text_of(key.type, bounds->least) << " to "
          << (bounds->most == HUGE_VAL ? "any" : text_of(key.type, bounds->most))
          << ", the page says: " << key.meaning;
    } else {
      EXPECT_THAT(ranges_in(key.type, key.meaning), ::testing::IsEmpty())
          << key.name << " has no bounds";
    }
  }
}

/// Each key of the shipped file with the comment beside it and the lines that carry it on.
std::map<std::string, std::string> shipped_comments() {
  std::ifstream in(SHINGLED_SOURCE_DIR "/packaging/shingled.yaml");
  std::map<std::string, std::string> out;
  std::vector<std::pair<std::size_t, std::string>> path;  // of the sections around, by indentation
  std::string line;
  std::string key;
  while (std::getline(in, line)) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at == std::string::npos) continue;
    if (line[at] == '#') {
      constexpr std::size_t kBeside = 20;  // less: a comment above the next key
      if (at > kBeside && !key.empty()) out[key] += line.substr(at + 1);
      continue;
    }
    while (!path.empty() && path.back().first >= at) path.pop_back();
    path.emplace_back(at, line.substr(at, line.find(':', at) - at));
    key.clear();
    for (const auto& [indentation, step] : path) key += (key.empty() ? "" : ".") + step;
    key = page_name(key);
    const std::size_t comment = line.find(" # ");
    out[key] = comment == std::string::npos ? "" : line.substr(comment + 2);
  }
  return out;
}

TEST(OptionBounds, AreThoseOfTheShippedFile) {
  const auto comments = shipped_comments();
  int checked = 0;
  for (const KeyText& key : key_texts()) {
    const auto comment = comments.find(key.name);
    if (!has_range(key) || comment == comments.end()) continue;
    const auto bounds = bounds_of(key);
    if (!bounds) continue;
    ++checked;
    EXPECT_TRUE(names(key.type, comment->second, *bounds))
        << key.name << ": the loader takes " << text_of(key.type, bounds->least) << " to "
        << (bounds->most == HUGE_VAL ? "any" : text_of(key.type, bounds->most))
        << ", shingled.yaml says:" << comment->second;
  }
  EXPECT_GT(checked, 60);
}

TEST(OptionTypes, OfTheManualPageAreTheLoaders) {
  const std::map<std::string, std::string> phrases = {{"bool", "true, false, yes, no, on, off"},
                                                      {"number", "whole number"},
                                                      {"real", "number"},
                                                      {"size", "size"},
                                                      {"duration", "duration"},
                                                      {"choice", "allowed"}};
  for (const KeyText& key : key_texts()) {
    const auto phrase = phrases.find(key.type);
    if (phrase == phrases.end()) continue;
    const bool is_score = key.name.starts_with("milter.actions.");
    EXPECT_THAT(problem_of(key.name, "quux"),
                ::testing::HasSubstr(is_score ? "score" : phrase->second))
        << key.name;
  }
}

TEST(OptionTypes, ChoicesThatThePageNamesAreAllOfThem) {
  for (const KeyText& key : key_texts()) {
    if (key.type != "choice") continue;
    const std::string problem = problem_of(key.name, "quux");
    const std::size_t at = problem.find("allowed: ");
    if (at == std::string::npos) continue;
    const std::set<std::string> switches = {"true", "on", "false", "off"};  // as for any bool
    std::istringstream allowed(problem.substr(at + 9));
    std::vector<std::string> missing;
    std::size_t choices = 0;
    for (std::string word; std::getline(allowed, word, ',');) {
      word.erase(0, word.find_first_not_of(' '));
      if (switches.contains(word)) continue;
      ++choices;
      if (key.meaning.find(word) == std::string::npos) missing.push_back(word);
    }
    if (missing.size() == choices) continue;  // they are said of the section
    EXPECT_THAT(missing, ::testing::IsEmpty()) << key.name << ": " << key.meaning;
  }
}

}  // namespace
}  // namespace shingled::config
