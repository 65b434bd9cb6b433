#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Where a URL, mail address or telephone link lies in a one-line text: its words are not hashed.
struct UrlSpan {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  friend bool operator==(const UrlSpan&, const UrlSpan&) = default;
};

/// Full mode also knows bare names like `example.com` by their public suffix.
enum class UrlMode : std::uint8_t { kFull, kStrict };

/// Finds what rspamd takes for URLs in a text, in the order it finds them.
///
/// Input:   a text made by make_oneline and the starts of its lines, which no URL crosses unless a
/// `<` is in front of it.
/// Errors: none; of what the meter refuses to pay for nothing is found.
/// Threads: stateless.
/// Cost: O(input): each byte is looked at a bounded number of times; paid are the places where a
/// URL may begin and the hosts that are read there.
/// Source: HASHING.md section 9.
std::vector<UrlSpan> find_urls(std::string_view text, std::span<const std::uint32_t> line_starts,
                               UrlMode mode, Compat compat, WorkMeter& meter);

/// So many bytes of a text say whether it begins with a URL: the longest name of a scheme, user,
/// password, host and port take less than half, the rest is for the path.
inline constexpr std::size_t kUrlStartBytesMax = 2048;

/// Whether the first URL that find_urls() finds in full mode in `text`, as one line, lies at its
/// very beginning.
///
/// Threads: stateless.
/// Cost: some microseconds at most, whatever the text: no more than kUrlStartBytesMax bytes are
/// looked at, as if the text ended there.
bool begins_with_url(std::string_view text, Compat compat, WorkMeter& meter);

}  // namespace shingled::mime
