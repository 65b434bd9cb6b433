#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Bounds on what one HTML part may cost. Reaching one is reported in HtmlText::truncated.
struct HtmlLimits {
  std::size_t input_bytes_max = 16UL * 1024 * 1024;  ///< the rest is not read
  std::size_t text_bytes_max = 1024UL * 1024;        ///< of HtmlText::content
  std::uint32_t elements_max = 8192;                 ///< the rest is appended as raw text
  std::uint32_t style_rules_max = 8192;              ///< selectors of all <style> sheets together
};

/// Where a link was printed: a candidate for an exception of HASHING.md 7.5. The caller keeps it if
/// `url` is usable and the URL finder accepts the start of `content.substr(offset + space,
/// length)`.
struct LinkSpan {
  std::size_t offset = 0;  ///< in HtmlText::content, of what is printed first
  std::size_t length = 0;  ///< bytes of the printed text, Unicode spaces trimmed at both ends
  std::string url;         ///< the beginning of the href, entities decoded
  std::size_t space = 0;   ///< bytes trimmed at the front, which the exception does not skip

  friend bool operator==(const LinkSpan&, const LinkSpan&) = default;
};

/// One element as the structure hash counts it (HASHING.md section 13); virtual and ignored
/// elements and declarations are left out.
struct HtmlElement {
  std::string name;         ///< lower case; "unknown" for a name HTML does not have
  std::string css_class;    ///< the usable class, cleaned; empty if none
  std::string url;          ///< the href or action that leads somewhere, as written; else empty
  std::uint32_t depth = 0;  ///< the html element is 0

  friend bool operator==(const HtmlElement&, const HtmlElement&) = default;
};

/// What a reader would see of an HTML part, and what the hashes need beside it.
struct HtmlText {
  std::string content;
  std::vector<LinkSpan> links;
  std::vector<HtmlElement> elements;
  bool truncated = false;  ///< a bound of HtmlLimits was reached
};

/// ServerSelection HTML into the text rspamd hashes (HASHING.md section 7; `compat` picks the
/// version).
///
/// Input:   UTF-8 (invalid bytes are copied as they are).
/// Output: at most `text_bytes_max` bytes.
/// Errors:  none. Broken markup yields the text rspamd makes of it. What the meter refuses to pay
/// for is left out: then the text is of no use.
/// Threads: stateless.
/// Cost: linear in the input and in the text, without recursion, paid to `meter`.
/// Memory: that of the elements, not of what they say.
HtmlText html_to_text(std::string_view utf8, const HtmlLimits& limits, Compat compat,
                      WorkMeter& meter);

}  // namespace shingled::mime
