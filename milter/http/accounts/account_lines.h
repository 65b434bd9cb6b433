#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::http {

/// Reads a file of keys or of people, whose entries have a `name`: an entry in each line, each name
/// once, at most `most`. Empty lines and those that begin with '#' do not count.
/// `parse`: Result<Entry>(std::string_view line). `kind`: "keys" or "people", for errors.
/// Errors:  kInvalid, with `path`, the line and what is wrong.
/// Threads: stateless.
template <typename Parse>
auto parse_accounts(std::string_view text, const std::string& path, std::size_t most,
                    std::string_view kind, Parse parse) {
  using Entry = typename decltype(parse(text))::value_type;
  std::vector<Entry> out;
  using Entries = Result<std::vector<Entry>>;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    auto entry = parse(line);
    if (entry && std::ranges::find(out, entry->name, &Entry::name) != out.end())
      entry = Error{ErrorCode::kInvalid, "the name '" + entry->name + "' comes twice"};
    if (entry && out.size() == most)
      entry = Error{ErrorCode::kInvalid, fmt::format("more than {} {}", most, kind)};
    if (!entry) return Entries(entry.error().in(fmt::format("{}:{}", path, number)));
    out.push_back(*std::move(entry));
  }
  return Entries(std::move(out));
}

}  // namespace shingled::milter::http
