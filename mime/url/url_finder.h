#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// A URL, mail address or telephone link in a one-line text. Its words are not hashed.
struct UrlSpan {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  friend bool operator==(const UrlSpan&, const UrlSpan&) = default;
};

/// Full mode also finds bare names like `example.com` by their public suffix.
enum class UrlMode : std::uint8_t { kFull, kStrict };

/// Finds what rspamd takes for URLs in a text, in the order in which rspamd finds them.
///
/// Input:   a text from make_oneline() and the starts of its lines. A URL crosses them only after a
///          `<`.
/// Errors:  none; URLs that `meter` refuses to pay for are not found.
/// Threads: stateless.
/// Cost:    O(input). Pays for the places where a URL may begin and for the hosts read there.
/// Source: HASHING.md section 9.
std::vector<UrlSpan> find_urls(std::string_view text, std::span<const std::uint32_t> line_starts,
                               UrlMode mode, Compat compat, WorkMeter& meter);

/// Bytes that tell whether a text begins with a URL: the longest scheme, user, password, host and
/// port take less than half, the rest is for the path.
inline constexpr std::size_t kUrlStartBytesMax = 2048;

/// Whether the first URL that find_urls() finds in full mode in `text`, taken as one line, is at
/// its beginning.
///
/// Threads: stateless.
/// Cost:    a few microseconds at most: looks at no more than kUrlStartBytesMax bytes, as if the
///          text ended there.
bool begins_with_url(std::string_view text, Compat compat, WorkMeter& meter);

}  // namespace shingled::mime
