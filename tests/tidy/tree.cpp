#include "tests/tidy/tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace shingled::tidy {

namespace {

std::vector<std::string> list_files() {
  std::string output;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> git(
      popen("git -C '" SHINGLED_SOURCE_DIR "' ls-files -z 2>/dev/null", "r"), &pclose);
  std::array<char, 4096> buffer{};
  for (std::size_t count = 1; git && count > 0;) {
    count = std::fread(buffer.data(), 1, buffer.size(), git.get());
    output.append(buffer.data(), count);
  }
  std::vector<std::string> out;
  std::istringstream names(output);
  for (std::string name; std::getline(names, name, '\0');) {
    if (std::filesystem::is_regular_file(SHINGLED_SOURCE_DIR "/" + name)) out.push_back(name);
  }
  if (!out.empty()) return out;
  for (const char* folder : {"config", "mime", "storage", "milter", "tests", "packaging"}) {
    const std::filesystem::path root(SHINGLED_SOURCE_DIR);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) out.push_back(entry.path().lexically_relative(root).string());
    }
  }
  return out;
}

}  // namespace

const std::vector<std::string>& files() {
  static const std::vector<std::string> kFiles = list_files();
  return kFiles;
}

bool is_file(const std::string& name) {
  return std::find(files().begin(), files().end(), name) != files().end();
}

std::string read(const std::string& name) {
  std::ifstream in(SHINGLED_SOURCE_DIR "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& name) {
  std::vector<std::string> out;
  std::istringstream in(read(name));
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

bool starts_with_any(std::string_view text, const Words& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool ends_with_any(std::string_view text, const Words& suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return text.ends_with(suffix); });
}

bool is_code(std::string_view name) { return ends_with_any(name, {".h", ".cpp", ".inc"}); }

bool is_product_code(std::string_view name) {
  return is_code(name) && starts_with_any(name, {"config/", "mime/", "storage/", "milter/"});
}

bool is_ours(std::string_view name) {
  if (starts_with_any(name, {"tests/data/", "tests/fuzz/seeds/"})) return false;
  return is_code(name) ||
         ends_with_any(name, {"CMakeLists.txt", ".cmake", ".json", ".md", ".py", ".sh", ".yaml",
                              ".lua", ".dict", ".service", ".sysusers", ".clang-tidy"});
}

std::string folder_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return std::string(name.substr(0, slash == std::string_view::npos ? 0 : slash));
}

std::string included(const std::string& line, char open, char close) {
  constexpr std::string_view kInclude = "#include ";
  if (!line.starts_with(kInclude) || line[kInclude.size()] != open) return {};
  const std::size_t begin = kInclude.size() + 1;
  return line.substr(begin, line.find(close, begin) - begin);
}

}  // namespace shingled::tidy
