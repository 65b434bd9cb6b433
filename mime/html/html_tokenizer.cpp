#include "mime/html/html_tokenizer.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "config/base/ascii.h"
#include "mime/html/entities.h"

namespace shingled::mime {
namespace {

constexpr std::string_view::size_type kNone = std::string_view::npos;
/// Maximum size of a closing tag inside script, style or noscript.
constexpr std::size_t kRawCloseBytesMax = 30;

/// Bytes of a name that are lowered: more than any name in HTML has.
constexpr std::size_t kNameBytesMax = 32;

struct NamedAttribute {
  std::string_view text;
  AttributeName name;
};
constexpr NamedAttribute kAttributes[] = {
    {"action", AttributeName::kAction},
    {"alt", AttributeName::kAlt},
    {"background", AttributeName::kBackground},
    {"text", AttributeName::kText},
    {"bgcolor", AttributeName::kBgcolor},
    {"class", AttributeName::kClass},
    {"color", AttributeName::kColor},
    {"height", AttributeName::kHeight},
    {"hidden", AttributeName::kHidden},
    {"href", AttributeName::kHref},
    {"id", AttributeName::kId},
    {"size", AttributeName::kSize},
    {"src", AttributeName::kSrc},
    {"style", AttributeName::kStyle},
    {"width", AttributeName::kWidth},
};

const NamedAttribute* find_attribute(std::string_view name) {
  const auto* found = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                   [name](const NamedAttribute& attribute) {
                                     return attribute.text.size() == name.size() &&
                                            ascii::equal_ignoring_case(attribute.text, name);
                                   });
  return found == std::end(kAttributes) ? nullptr : found;
}

/// Of repeated attributes the first counts, but the last style.
bool last_wins(AttributeName name) {
  return name == AttributeName::kStyle || name == AttributeName::kColor ||
         name == AttributeName::kBgcolor || name == AttributeName::kClass ||
         name == AttributeName::kId;
}

bool has_raw_text(std::string_view name) {
  return name == "script" || name == "style" || name == "noscript";
}

/// The end of the last `quote`, or 0. A quote that opens after it is never closed.
std::size_t behind_last(std::string_view html, char quote) {
  const void* found = memrchr(html.data(), quote, html.size());
  return found == nullptr
             ? 0
             : static_cast<std::size_t>(static_cast<const char*>(found) - html.data()) + 1;
}

}  // namespace

std::string_view attribute_name(AttributeName name) {
  return std::ranges::find(kAttributes, name, &NamedAttribute::name)->text;
}

std::string Attribute::browser_value(std::size_t bytes_max) const {
  return attribute_text(raw.substr(0, bytes_max));
}

std::string Attribute::value(std::size_t bytes_max) const {
  std::string decoded;
  append_decoded(decoded, raw.substr(0, bytes_max), Spaces::kKeep);
  if (name == AttributeName::kId || name == AttributeName::kClass) {
    ascii::make_lower(decoded);
  } else if (lower_first && !decoded.empty()) {
    decoded[0] = ascii::to_lower(decoded[0]);
  }
  return decoded;
}

HtmlTokenizer::HtmlTokenizer(std::string_view html, Compat compat)
    : html_(html), compat_(compat), last_quote_{behind_last(html, '"'), behind_last(html, '\'')} {}

bool HtmlTokenizer::next(HtmlToken& token) {
  if (raw_text_) at_ = raw_text_end(at_);
  raw_text_ = false;
  for (;;) {
    at_ = html_.find('<', at_);
    if (at_ == kNone) {
      at_ = html_.size();
      return false;
    }
    token.start = at_++;
    token.name.clear();
    token.attributes.clear();
    token.self_closed = false;
    token.broken = false;
    const char first = at_ < html_.size() ? html_[at_] : '\0';
    const char second = at_ + 1 < html_.size() ? html_[at_ + 1] : '\0';
    if (ascii::is_alpha(first)) {
      token.kind = HtmlTokenKind::kOpen;
      return read_tag(token);
    }
    if (first == '/' && at_ + 1 == html_.size()) return fail();
    if (first == '/' && ascii::is_alpha(second)) {
      ++at_;
      token.kind = HtmlTokenKind::kClose;
      return read_tag(token);
    }
    const bool slashed = first == '/' && (second == '!' || second == '?');
    if (slashed) ++at_;  // "</!--x-->" is a comment, too
    if (slashed || first == '!' || first == '?') {
      token.kind = HtmlTokenKind::kMarkup;
      return read_markup(token);
    }
  }
}

bool HtmlTokenizer::fail() {
  at_ = html_.size();
  ended_inside_ = true;
  return false;
}

bool HtmlTokenizer::finish_at(HtmlToken& token, std::size_t end) {
  at_ = end;
  token.end = end;
  return true;
}

bool HtmlTokenizer::read_tag(HtmlToken& token) {
  const std::size_t name_start = at_;
  while (at_ < html_.size() && html_[at_] != '>' && html_[at_] != '/' &&
         !ascii::is_space(html_[at_])) {
    ++at_;
  }
  token.raw_name = html_.substr(name_start, at_ - name_start);
  token.name = token.raw_name.substr(0, kNameBytesMax);
  ascii::make_lower(token.name);
  if (!read_attributes(token)) return fail();
  raw_text_ = token.kind == HtmlTokenKind::kOpen && !token.self_closed && has_raw_text(token.name);
  return finish_at(token, at_);
}

/// Reads up to and including the `>`; false if the input ends first.
bool HtmlTokenizer::read_attributes(HtmlToken& token) {
  stored_ = true;
  bool slash_closes = false;  // whether a slash here would close the element
  while (at_ < html_.size()) {
    const char c = html_[at_];
    if (c == '>') {
      ++at_;
      return true;
    }
    token.self_closed = false;
    if (ascii::is_space(c)) {
      slash_closes = true;
      ++at_;
    } else if (c == '/') {
      token.self_closed = slash_closes;
      stored_ = stored_ && !slash_closes;
      slash_closes = false;
      ++at_;
    } else {
      read_attribute(token, slash_closes);
    }
  }
  return false;
}

void HtmlTokenizer::read_attribute(HtmlToken& token, bool& slash_closes) {
  const std::size_t name_start = at_;
  // The first character always belongs to the name, unless there is no name.
  if (html_[at_] != '=') ++at_;
  for (; at_ < html_.size(); ++at_) {
    const char c = html_[at_];
    if (c == '=' || c == '>' || c == '/' || c == '"' || c == '\'' || ascii::is_space(c)) break;
  }
  const std::string_view name = html_.substr(name_start, at_ - name_start);
  const std::size_t name_end = at_;
  while (at_ < html_.size() && ascii::is_space(html_[at_])) ++at_;
  if (at_ >= html_.size() || html_[at_] != '=') {
    slash_closes = at_ != name_end;
    store(token, name, {}, true);
    return;
  }
  ++at_;
  while (at_ < html_.size() && ascii::is_space(html_[at_])) ++at_;
  bool quoted = false;
  const std::string_view raw = read_value(quoted);
  slash_closes = true;
  // 3.4 knows alt and alt="x", but not alt="".
  if (!raw.empty() || compat_ == Compat::kRspamd4) store(token, name, raw, quoted);
}

std::string_view HtmlTokenizer::read_value(bool& quoted) {
  if (at_ >= html_.size()) return {};
  const char quote = html_[at_];
  quoted = quote == '"' || quote == '\'';
  if (quoted) {
    const std::size_t start = ++at_;
    const bool closes = start < last_quote_[quote == '"' ? 0 : 1];
    const std::size_t end = std::min(html_.find(closes ? quote : '>', start), html_.size());
    at_ = closes ? end + 1 : end;
    return html_.substr(start, end - start);
  }
  const std::size_t start = at_;
  while (at_ < html_.size()) {
    const char c = html_[at_];
    if (c == '>' || c == '"' || c == '\'' || ascii::is_space(c)) break;
    // A slash ends the value only in "/>".
    if (c == '/' && at_ + 1 < html_.size() && html_[at_ + 1] == '>') break;
    ++at_;
  }
  return html_.substr(start, at_ - start);
}

void HtmlTokenizer::store(HtmlToken& token, std::string_view name, std::string_view raw,
                          bool quoted) {
  const NamedAttribute* known = stored_ ? find_attribute(name) : nullptr;
  if (known == nullptr) return;
  const auto seen =
      std::find_if(token.attributes.begin(), token.attributes.end(),
                   [known](const Attribute& attribute) { return attribute.name == known->name; });
  if (seen != token.attributes.end() && !last_wins(known->name)) return;
  const bool repeated = seen != token.attributes.end();
  if (repeated) token.attributes.erase(seen);
  const bool lower_first = !quoted && compat_ == Compat::kRspamd3;
  token.attributes.push_back({known->name, lower_first, raw, repeated});
}

bool HtmlTokenizer::read_markup(HtmlToken& token) {
  if (html_[at_] == '?') return read_instruction(token);
  ++at_;
  if (html_.substr(at_).starts_with("--")) return read_comment(token);
  if (at_ < html_.size() && html_[at_] == '[') return read_bracketed(token);
  const std::size_t end = html_.find('>', at_);
  if (end == kNone) return fail();
  token.broken = at_ < html_.size() && html_[at_] == '-';
  return finish_at(token, end + 1);
}

bool HtmlTokenizer::read_comment(HtmlToken& token) {
  at_ += 2;
  for (const std::string_view complete : {">", "->"}) {
    if (!html_.substr(at_).starts_with(complete)) continue;
    token.broken = true;
    return finish_at(token, at_ + complete.size());
  }
  const std::size_t end = html_.find("-->", at_);
  return end == kNone ? fail() : finish_at(token, end + 3);
}

bool HtmlTokenizer::read_bracketed(HtmlToken& token) {
  std::size_t depth = 0;
  for (; at_ < html_.size(); ++at_) {
    const char c = html_[at_];
    if (c == '[') ++depth;
    if (c == ']' && depth > 0) --depth;
    if (c == '>' && depth == 0) return finish_at(token, at_ + 1);
  }
  return fail();
}

bool HtmlTokenizer::read_instruction(HtmlToken& token) {
  const std::size_t end = html_.find('>', at_);
  if (end == kNone) return fail();
  token.broken = html_.find('?', at_ + 1) >= end;
  return finish_at(token, end + 1);
}

std::size_t HtmlTokenizer::raw_text_end(std::size_t from) const {
  for (std::size_t at = html_.find("</", from); at != kNone; at = html_.find("</", at + 2)) {
    if (at + 2 >= html_.size() || !ascii::is_alpha(html_[at + 2])) continue;
    const std::string_view rest = html_.substr(at + 2, kRawCloseBytesMax);
    const auto* stop = std::find_if(rest.begin(), rest.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return c == '>' || c == ',' || byte < 10;
    });
    if (stop != rest.end() && *stop == '>') return at;
  }
  return html_.size();
}

}  // namespace shingled::mime
