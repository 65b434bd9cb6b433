#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/charset/utf8.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Limits for one HTML part. A reached limit is reported in HtmlText::truncated.
struct HtmlLimits {
  std::size_t input_bytes_max = 16UL * 1024 * 1024;  ///< the rest is not read
  std::size_t text_bytes_max = 1024UL * 1024;        ///< of HtmlText::content
  std::size_t hidden_bytes_max = 32UL * 1024;        ///< of HtmlText::hidden; the rest is left out
  std::uint32_t elements_max = 8192;                 ///< the rest is appended as raw text
  std::uint32_t style_rules_max = 8192;              ///< selectors of all <style> sheets
};

/// The place of a printed link: a candidate for an exception of HASHING.md 7.5. The caller keeps it
/// if `url` is usable and the URL finder accepts the start of `content.substr(offset + space,
/// length)`.
struct LinkSpan {
  std::size_t offset = 0;  ///< in HtmlText::content, of the first printed byte
  std::size_t length = 0;  ///< bytes of the printed text, Unicode spaces trimmed at both ends
  std::string url;         ///< the beginning of the href, entities decoded
  std::size_t space = 0;   ///< bytes trimmed at the front, which the exception does not skip

  friend bool operator==(const LinkSpan&, const LinkSpan&) = default;
};

/// An element as the structure hash counts it (HASHING.md section 13). Virtual and ignored elements
/// and declarations do not count.
struct HtmlElement {
  std::string name;          ///< lower case; "unknown" for a name HTML does not have
  std::string css_class;     ///< the usable class, cleaned; empty if none
  std::string url;           ///< the href or action as rspamd reads it, or empty
  std::uint32_t depth = 0;   ///< the html element is 0
  std::string target = {};   ///< the same as a browser reads it, if that is not `url`; else empty
  std::string picture = {};  ///< the src of an img as a browser reads it, or empty

  friend bool operator==(const HtmlElement&, const HtmlElement&) = default;
};

/// A run of HtmlText::hidden, up to the next one.
struct HiddenRun {
  std::size_t begin = 0;
  std::size_t place = 0;  ///< in the text that a browser shows, where it would be
  bool quoted = false;    ///< it is in an element that quotes
};

/// What the elements of a document quote (quote_marks.h); empty for rspamd's view alone.
struct HtmlQuotes {
  std::vector<TextSpan> spans;      ///< of the text that a browser shows; ascending, disjoint
  bool sourced = false;             ///< an element with a text says whose words they are
  std::vector<std::size_t> places;  ///< of each of HtmlText::elements, in that text
  std::vector<bool> elements;       ///< each of them: whether an element around it quotes it
  std::vector<HiddenRun> hidden;
};

/// The text that a reader sees of an HTML part, and what else the hashes need.
struct HtmlText {
  std::string content;
  std::string hidden;  ///< no reader sees it: titles, then what styles hide or make unreadable
  /// What a browser shows, where that is not `content`, which is what rspamd believes it shows.
  std::optional<std::string> seen;
  std::vector<LinkSpan> links;
  std::vector<HtmlElement> elements;
  HtmlQuotes quotes;
  bool truncated = false;  ///< a limit of HtmlLimits was reached
};

/// Whose view of a document is wanted.
enum class Views : std::uint8_t {
  kRspamd,           ///< for the compatible hashes
  kRspamdAndBrowser  ///< for HtmlText::seen and HtmlText::quotes, too
};

/// Turns HTML into the text that rspamd hashes (HASHING.md section 7); `compat` is the version.
///
/// Input:   UTF-8; invalid bytes are copied.
/// Output:  at most `text_bytes_max` bytes.
/// Errors:  none; broken markup gives the same text as in rspamd. If `meter` refuses, the text is
///          incomplete and must not be used.
/// Threads: stateless.
/// Cost:    linear in the input and in the text, without recursion, paid to `meter`.
/// Memory:  depends on the number of elements, not on their texts.
HtmlText html_to_text(std::string_view utf8, const HtmlLimits& limits, Compat compat,
                      WorkMeter& meter, Views views = Views::kRspamdAndBrowser);

}  // namespace shingled::mime
