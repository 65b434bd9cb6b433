#pragma once

#include <span>
#include <string_view>

namespace shingled::milter::page {

/// A file of the page, as it is compiled in (embed.py).
/// Threads: a value.
struct PageFile {
  std::string_view name;  ///< "index.html", "views/now.js"
  std::string_view type;  ///< its media type
  std::string_view etag;  ///< of its content, in quotes
  std::string_view gzip;  ///< its content, compressed
};

/// All files, at most 120 KiB of them.
std::span<const PageFile> page_files();

/// Of the Chart.js that draws the plots: "3.9.1"; "" if the page was built without it.
std::string_view chart_version();

}  // namespace shingled::milter::page
