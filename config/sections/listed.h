#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/document/section.h"

namespace shingled::config {

/// Whether a word of a list names a file instead of an entry. A URL is a problem: lists are not
/// fetched.
bool take_file(const Field& item, std::string_view word, std::vector<std::string>& files);

/// A list of networks, some of them in files.
void load_networks(Section& section, std::string_view key, std::vector<Network>& out,
                   std::vector<std::string>& files);

}  // namespace shingled::config
