#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

/// What a URL as find_urls() found it goes by: the registrable domain of its host, an address as it
/// is, the digits of a telephone link; empty where it has none.
/// Threads: any thread.
/// Cost: a look-up in the public suffix list.
std::string url_name(std::string_view url);

}  // namespace shingled::mime
