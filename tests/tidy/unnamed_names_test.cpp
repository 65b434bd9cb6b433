// Covers the names in unnamed namespaces: two files of one folder do not define the same name
// there. SHINGLED_FAST_BUILD compiles the files of a folder together, so that both would be one
// namespace; a file that the folder's CMakeLists.txt sets APART is compiled alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The position after the bracket that closes the one at `at`; the end of the text if there is
/// none. Counts brackets of this kind only.
std::size_t behind_brackets(std::string_view text, std::size_t at, char open, char close) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at + 1;
  }
  return at;
}

/// A definition without template<...>, [[...]] and alignas(...) in front of it.
std::string_view without_prefixes(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.starts_with("template")) {
      text.remove_prefix(behind_brackets(text, 0, '<', '>'));
    } else if (text.starts_with("[[")) {
      text.remove_prefix(behind_brackets(text, 0, '[', ']'));
    } else if (text.starts_with("alignas")) {
      text.remove_prefix(behind_brackets(text, 0, '(', ')'));
    } else {
      return text;
    }
  }
}

/// The name that a definition at the left margin begins; nullopt if it needs more text.
/// Empty if it defines no name of the namespace: an operator, a member of a class, an assertion.
std::optional<std::string> name_defined(std::string_view text) {
  text = without_prefixes(text);
  std::size_t end = 0;  // of the part before the parameters, the value or the body
  while (end < text.size() && std::string_view("({=;[:").find(text[end]) == std::string::npos) {
    if (text[end] == '<') {
      end = behind_brackets(text, end, '<', '>');
    } else {
      end += text.substr(end).starts_with("::") ? 2U : 1U;
    }
    if (text.substr(end).starts_with("::")) end += 2;
  }
  if (end >= text.size()) return std::nullopt;
  std::string_view head = text.substr(0, end);
  if (head.find("operator") != std::string_view::npos || head.starts_with("static_assert"))
    return "";
  const auto trim = [&head] {
    while (!head.empty() && !is_word(head.back())) head.remove_suffix(1);
  };
  trim();
  if (constexpr std::string_view kFinal = " final"; head.ends_with(kFinal)) {
    head.remove_suffix(kFinal.size());
    trim();
  }
  std::size_t begin = head.size();
  while (begin > 0 && is_word(head[begin - 1])) --begin;
  if (begin > 0 && head[begin - 1] == ':') return "";
  return std::string(head.substr(begin));
}

/// The names that the unnamed namespaces of a file define, and the beginning of each definition.
/// Reads lines at the left margin, as clang-format leaves them.
std::map<std::string, std::string> unnamed_names(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> names;
  bool inside = false;
  std::string raw_end;  // of the raw string that the line is in
  std::string definition;
  for (const std::string& line : lines) {
    if (!raw_end.empty()) {
      if (line.find(raw_end) != std::string::npos) raw_end.clear();
      continue;
    }
    if (const std::size_t raw = line.find("R\""); raw != std::string::npos) {
      const std::string delimiter = line.substr(raw + 2, line.find('(', raw) - raw - 2);
      const std::string end = ')' + delimiter + '"';
      if (line.find(end, raw) == std::string::npos) raw_end = end;
    }
    if (line == "namespace {") inside = true;
    if (line == "}  // namespace") inside = false;
    const bool starts = !line.empty() && (is_word(line[0]) || line[0] == '[');
    if (!inside || line.starts_with("namespace")) continue;
    if (starts && definition.empty()) {
      definition = line;
    } else if (!definition.empty()) {
      definition += ' ' + line;
    } else {
      continue;
    }
    definition = definition.substr(0, definition.find("//"));
    const std::optional<std::string> name = name_defined(definition);
    if (!name) continue;  // the next line goes on
    if (!name->empty()) names.emplace(*name, definition);
    definition.clear();
  }
  return names;
}

/// The files that the CMakeLists.txt of a folder sets APART.
std::set<std::string> apart_files(const std::string& cmake, const std::string& folder) {
  std::set<std::string> out;
  const std::size_t begin = cmake.find("\n  APART\n");
  if (begin == std::string::npos) return out;
  std::istringstream words(cmake.substr(begin + std::string_view("\n  APART\n").size()));
  for (std::string word; words >> word && word.ends_with(".cpp");) out.insert(folder + '/' + word);
  return out;
}

/// "FILE and FILE both define NAME" for each name that two files of a folder define.
std::vector<std::string> clashes(
    const std::map<std::string, std::vector<std::string>>& lines_by_file) {
  struct Owner {
    std::string file;
    std::string definition;
  };
  std::map<std::string, Owner> owners;  // by folder and name
  std::vector<std::string> out;
  for (const auto& [file, lines] : lines_by_file) {
    for (const auto& [name, definition] : unnamed_names(lines)) {
      const auto [at, is_new] =
          owners.emplace(folder_of(file) + ' ' + name, Owner{file, definition});
      const Owner& owner = at->second;
      // The same alias twice is one alias.
      const bool is_same = definition.starts_with("using ") && definition == owner.definition;
      if (!is_new && !is_same) {
        out.push_back(owner.file + " and " + file + " both define " + name);
      }
    }
  }
  return out;
}

TEST(UnnamedNames, AreOfOneFileInAFolder) {
  std::map<std::string, std::vector<std::string>> lines_by_file;
  std::size_t apart = 0;
  for (const std::string& name : files()) {
    if (!is_product_code(name) || !name.ends_with(".cpp")) continue;
    const std::string folder = folder_of(name);
    if (apart_files(read(folder + "/CMakeLists.txt"), folder).contains(name)) {
      ++apart;
    } else {
      lines_by_file[name] = lines_of(name);
    }
  }
  EXPECT_GT(apart, 0U) << "no CMakeLists.txt was understood";
  for (const std::string& clash : clashes(lines_by_file)) {
    ADD_FAILURE() << clash << "\nrename one, or set one file APART in the CMakeLists.txt";
  }
}

TEST(UnnamedNames, OfEveryKindAreFound) {
  const std::map<std::string, std::string> definitions = unnamed_names({
      "const int outside = 1;",
      "namespace {",
      "constexpr std::array<std::pair<int, char>, 4> kTable = {",
      "    {1, 'a'}};",
      "constexpr int kOf[] = {1};",
      "template <typename T>",
      "std::map<int, T>",
      "function_with_a_long_type(",
      "    int argument) {",
      "  int local = 1;",
      "}",
      "struct Plain {",
      "  int member;",
      "};",
      "class Derived final : public Plain {};",
      "enum class Kind : int { kOne };",
      "using Short = std::vector<int>;",
      "[[nodiscard]] bool marked(int a, int b) { return a < b; }",
      "thread_local Plain reused;",
      "bool operator==(const Plain&, const Plain&);",
      "void Plain::member_function() {}",
      "std::string Plain::kMember = 1;",
      "static_assert(kOf[0] == 1);",
      "const char* text = R\"lua(",
      "local name = call(1)",
      ")lua\";",
      "/// about(it)",
      "}  // namespace",
      "int function_of_the_folder() { return 1; }",
  });
  std::set<std::string> names;
  for (const auto& [name, definition] : definitions) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"kTable", "kOf", "function_with_a_long_type", "Plain",
                                          "Derived", "Kind", "Short", "text", "marked", "reused"}));
}

TEST(UnnamedNames, ClashOnlyWithinAFolder) {
  const std::vector<std::string> one = {"namespace {", "int twice(int a) {", "}  // namespace"};
  const std::vector<std::string> other = {"namespace {", "void twice() {}", "}  // namespace"};
  EXPECT_TRUE(clashes({{"a/one.cpp", one}, {"b/other.cpp", other}}).empty());
  EXPECT_EQ(clashes({{"a/one.cpp", one}, {"a/other.cpp", other}}),
            (std::vector<std::string>{"a/one.cpp and a/other.cpp both define twice"}));
}

TEST(UnnamedNames, OfTheSameAliasDoNotClash) {
  const std::vector<std::string> one = {"namespace {", "using Kind = A::Kind;", "}  // namespace"};
  const std::vector<std::string> other = {"namespace {", "using Kind = B::Kind;",
                                          "}  // namespace"};
  EXPECT_TRUE(clashes({{"a/one.cpp", one}, {"a/two.cpp", one}}).empty());
  EXPECT_EQ(clashes({{"a/one.cpp", one}, {"a/other.cpp", other}}).size(), 1U);
}

TEST(UnnamedNames, OfFilesSetApartMayRepeat) {
  EXPECT_EQ(apart_files("shingled_library(x\n  SOURCES\n    a.cpp b.cpp\n  APART\n    b.cpp\n    "
                        "c.cpp\n  USES\n    shingled::y)\n",
                        "x"),
            (std::set<std::string>{"x/b.cpp", "x/c.cpp"}));
}

}  // namespace
}  // namespace shingled::tidy
