#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shingled::tidy {

using Words = std::vector<std::string_view>;

/// Every file that git tracks, by its path from the top of the tree. In a source archive, where
/// there is no repository: every file of our folders.
const std::vector<std::string>& files();

/// Whether git tracks a file of this path.
bool is_file(const std::string& name);

std::string read(const std::string& name);
std::vector<std::string> lines_of(const std::string& name);

bool starts_with_any(std::string_view text, const Words& prefixes);
bool ends_with_any(std::string_view text, const Words& suffixes);

bool is_code(std::string_view name);
/// Code of the four libraries, without the tests.
bool is_product_code(std::string_view name);
/// Texts that people write. Mails, pages and seeds of tests are left as they are.
bool is_ours(std::string_view name);

/// "storage/engine" of "storage/engine/engine.h".
std::string folder_of(std::string_view name);

/// The name between the marks of an #include line with this opening mark; empty for other lines.
std::string included(const std::string& line, char open, char close);

}  // namespace shingled::tidy
