// Covers the includes of headers: each has what it uses of the standard library, so that a change
// of another header breaks nothing. (That each compiles alone: packaging/test.sh tidy.)
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

/// Names of std, and the header that the standard promises them in. A name of several headers is
/// not here.
const std::map<std::string_view, Words> kHomes = {
    {"array", {"array", "to_array"}},
    {"atomic", {"atomic", "memory_order_relaxed"}},
    {"bitset", {"bitset"}},
    {"chrono", {"chrono"}},
    {"condition_variable", {"condition_variable"}},
    {"cstdint",
     {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"}},
    {"deque", {"deque"}},
    {"filesystem", {"filesystem"}},
    {"functional", {"function", "hash"}},
    {"future", {"future", "promise"}},
    {"limits", {"numeric_limits"}},
    {"list", {"list"}},
    {"map", {"map", "multimap"}},
    {"memory", {"make_shared", "make_unique", "shared_ptr", "unique_ptr", "weak_ptr"}},
    {"mutex", {"lock_guard", "mutex", "scoped_lock", "unique_lock"}},
    {"optional", {"nullopt", "optional"}},
    {"set", {"multiset", "set"}},
    {"span", {"span"}},
    {"stop_token", {"stop_callback", "stop_source", "stop_token"}},
    {"string", {"string", "to_string"}},
    {"string_view", {"string_view"}},
    {"thread", {"jthread", "thread"}},
    {"tuple", {"tie", "tuple"}},
    {"unordered_map", {"unordered_map"}},
    {"utility", {"exchange", "forward", "move", "pair"}},
    {"variant", {"monostate", "variant"}},
    {"vector", {"vector"}},
};

/// The code alone: names in comments and texts use nothing.
std::string without_comments(const std::string& text) {
  static const std::regex kOther(R"re(//[^\n]*|"(\\.|[^"\\\n])*")re");
  return std::regex_replace(text, kOther, "");
}

/// The headers that a text uses and does not include.
std::set<std::string> missing_in(const std::string& text) {
  static const std::regex kInclude(R"(#include <([a-z_]+)>)");
  static const std::regex kName(R"(\bstd::(\w+))");
  static const std::map<std::string_view, std::string_view> kHomeOf = [] {
    std::map<std::string_view, std::string_view> out;
    for (const auto& [home, names] : kHomes)
      for (const std::string_view name : names) out.emplace(name, home);
    return out;
  }();
  const auto all = [](const std::string& in, const std::regex& what) {
    std::set<std::string> out;
    for (std::sregex_iterator it(in.begin(), in.end(), what), end; it != end; ++it)
      out.insert((*it)[1]);
    return out;
  };
  const std::string code = without_comments(text);
  const std::set<std::string> included = all(code, kInclude);
  std::set<std::string> out;
  for (const std::string& name : all(code, kName)) {
    const auto home = kHomeOf.find(name);
    if (home != kHomeOf.end() && !included.contains(std::string(home->second)))
      out.emplace(home->second);
  }
  return out;
}

TEST(Tidy, MissingIncludesAreFound) {
  using Names = std::set<std::string>;
  EXPECT_EQ(missing_in("#include <string>\nstd::string a; std::vector<int> b;"), Names{"vector"});
  EXPECT_EQ(missing_in("// std::map\nconst char* a = \"std::map\";"), Names{});
}

TEST(Tidy, HeadersIncludeWhatTheyUse) {
  std::size_t headers = 0;
  for (const std::string& name : files()) {
    if (!is_product_code(name) || !name.ends_with(".h")) continue;
    ++headers;
    for (const std::string& missing : missing_in(read(name)))
      ADD_FAILURE() << name << " uses <" << missing << "> and does not include it";
  }
  EXPECT_GT(headers, 500U);
}

}  // namespace
}  // namespace shingled::tidy
