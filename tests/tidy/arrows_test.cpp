// Covers which folder may use which: no circle at any depth, every CMake target names exactly the
// folders that its files include, and the table of ARCHITECTURE.md is the one that the includes
// make (UPDATE_GOLDEN=1 writes it).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

/// Folder to the folders it includes, without itself.
using Uses = std::map<std::string, std::set<std::string>>;

constexpr std::string_view kTableBegin = "<!-- made from the includes by test_tidy -->\n";
constexpr std::string_view kTableEnd = "<!-- end -->\n";

/// Programs of their own, which only belong to the folder by their place.
bool is_program(const std::string& name) {
  return name == "milter/main.cpp" || name == "mime/language/make_trigram_table.cpp";
}

Uses uses_by_includes() {
  Uses uses;
  for (const std::string& name : files()) {
    if (!is_product_code(name) || is_program(name)) continue;
    std::set<std::string>& used = uses[folder_of(name)];
    for (const std::string& line : lines_of(name)) {
      const std::string header = included(line, '"', '"');
      if (!header.empty() && folder_of(header) != folder_of(name)) used.insert(folder_of(header));
    }
  }
  return uses;
}

/// The libraries, lowest first.
std::size_t rank_of(std::string_view folder) {
  constexpr std::array<std::string_view, 4> kLibraries = {"config", "mime", "storage", "milter"};
  const auto library =
      std::find(kLibraries.begin(), kLibraries.end(), folder.substr(0, folder.find('/')));
  return static_cast<std::size_t>(library - kLibraries.begin());
}

/// Every folder after all that it uses; of several candidates the one of the lowest library, then
/// the first by name. Folders on a circle, and their users, are left out.
std::vector<std::string> floors(Uses uses) {
  std::vector<std::string> out;
  while (!uses.empty()) {
    auto next = uses.end();
    for (auto entry = uses.begin(); entry != uses.end(); ++entry) {
      const bool ready = std::none_of(entry->second.begin(), entry->second.end(),
                                      [&](const std::string& used) { return uses.contains(used); });
      if (!ready) continue;
      if (next == uses.end() || rank_of(entry->first) < rank_of(next->first)) next = entry;
    }
    if (next == uses.end()) break;
    out.push_back(next->first);
    uses.erase(next);
  }
  return out;
}

std::string joined(const auto& names, std::string_view between) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : std::string(between)) + name;
  return out;
}

std::string table_of(const Uses& uses) {
  std::string out = "| folder | uses |\n|---|---|\n";
  for (const std::string& folder : floors(uses)) {
    out += "| `" + folder + "` | " + joined(uses.at(folder), ", ") + " |\n";
  }
  return out;
}

TEST(Arrows, FoldersHaveNoCircles) {
  const Uses uses = uses_by_includes();
  const std::vector<std::string> order = floors(uses);
  for (const auto& [folder, used] : uses) {
    EXPECT_TRUE(std::find(order.begin(), order.end(), folder) != order.end())
        << folder << " is part of a circle, or uses one; it uses " << joined(used, " ");
  }
}

// The libraries as wholes: config < mime/fingerprint < mime < storage < milter, where storage sees
// nothing of mime but the fingerprints.
TEST(Arrows, LibrariesFollowTheArrow) {
  const std::map<std::string, Words> may_use = {
      {"config", {"config"}},
      {"mime", {"mime", "config"}},
      {"storage", {"storage", "mime/fingerprint", "config"}},
      {"milter", {"milter", "storage", "mime", "config"}}};
  for (const auto& [folder, used] : uses_by_includes()) {
    const Words& allowed = may_use.at(folder.substr(0, folder.find('/')));
    for (const std::string& other : used) {
      EXPECT_TRUE(starts_with_any(other, allowed)) << folder << " uses " << other;
    }
  }
}

/// What the library of a folder says that it uses, by folder.
std::set<std::string> uses_by_cmake(const std::string& folder) {
  static const std::regex kLibrary(R"(shingled::([a-z_]+))");
  std::map<std::string, std::string> folders;  // by the name of their library
  for (const auto& [name, used] : uses_by_includes()) {
    std::string library = name;
    std::replace(library.begin(), library.end(), '/', '_');
    folders[library] = name;
  }
  std::string text = read(folder + "/CMakeLists.txt");
  const std::size_t begin = text.find("shingled_library(");
  text = text.substr(std::min(begin, text.size()));
  text = text.substr(0, text.find(")\n"));
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), kLibrary), end; at != end; ++at) {
    const auto found = folders.find((*at)[1]);
    EXPECT_TRUE(found != folders.end()) << folder << " names the unknown library " << (*at)[1];
    if (found != folders.end()) out.insert(found->second);
  }
  return out;
}

TEST(Arrows, TargetsNameWhatTheirFilesInclude) {
  for (const auto& [folder, used] : uses_by_includes()) {
    EXPECT_EQ(uses_by_cmake(folder), used) << folder << "/CMakeLists.txt, USES";
  }
}

TEST(Arrows, TheTableOfTheArchitectureIsTheIncludes) {
  const std::string name = "ARCHITECTURE.md";
  std::string text = read(name);
  const std::size_t begin = text.find(kTableBegin) + kTableBegin.size();
  const std::size_t end = text.find(kTableEnd, begin);
  ASSERT_NE(end, std::string::npos) << name << " has no place for the table";
  const std::string wanted = table_of(uses_by_includes());
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    text.replace(begin, end - begin, wanted);
    std::ofstream(SHINGLED_SOURCE_DIR "/" + name, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text.substr(begin, end - begin), wanted)
      << "UPDATE_GOLDEN=1 test_tidy --gtest_filter='Arrows.*' writes it";
}

// A file of a folder that neither CMake nor another file names is dead.
TEST(Arrows, EveryFileIsUsed) {
  std::set<std::string> included_somewhere;
  for (const std::string& name : files()) {
    if (!is_code(name)) continue;
    for (const std::string& line : lines_of(name)) {
      const std::string header = included(line, '"', '"');
      if (header.empty()) continue;
      included_somewhere.insert(header);
      included_somewhere.insert(folder_of(name) + "/" + header);
    }
  }
  for (const std::string& name : files()) {
    if (!is_code(name)) continue;
    const std::string base = name.substr(name.rfind('/') + 1);
    if (name.ends_with(".cpp")) {
      std::string lists;
      for (std::string folder = folder_of(name); !folder.empty(); folder = folder_of(folder)) {
        lists += read(folder + "/CMakeLists.txt");
      }
      if (name.starts_with("tests/")) {
        for (const std::string& other : files()) {
          if (other.ends_with("CMakeLists.txt") && other.starts_with("tests/"))
            lists += read(other);
        }
      }
      EXPECT_NE(lists.find(base), std::string::npos) << "no CMakeLists.txt names " << name;
    } else {
      EXPECT_TRUE(included_somewhere.contains(name)) << "no file includes " << name;
    }
  }
}

}  // namespace
}  // namespace shingled::tidy
