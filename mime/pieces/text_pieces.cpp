#include "mime/pieces/text_pieces.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"
#include "mime/pieces/link.h"
#include "mime/pieces/mail_address.h"
#include "mime/pieces/phone_numbers.h"
#include "mime/pieces/plain_signs.h"
#include "mime/pieces/wallets.h"
#include "mime/url/url_finder.h"

namespace shingled::mime {

namespace {

/// The search for telephone numbers and accounts, and the one-line form; of the most expensive
/// texts, which consist of accounts with wrong check digits.
constexpr Steps kStepsASearchedByte = 60;
/// A host with a look-up of its suffix, and the pieces that are made of it.
constexpr Steps kStepsALink = 6'000;
/// An address with a host in Unicode.
constexpr Steps kStepsAnAddress = 500;

constexpr ascii::CharSet kAfterSentence(".,;:!?\"");

/// Whether a text begins with a mark that ends a link as ")" does, but that the search does not
/// know: a space, a quote, a comma or a full stop of other scripts.
bool begins_with_mark(std::string_view text) {
  struct Range {
    std::string_view first;
    std::string_view last;
  };
  static constexpr auto kMarks = std::to_array<Range>({{"\u00A0", "\u00A0"},
                                                       {"\u00AB", "\u00AB"},
                                                       {"\u00BB", "\u00BB"},
                                                       {"\u2000", "\u206F"},
                                                       {"\u3000", "\u303F"},
                                                       {"\uFF01", "\uFF0F"},
                                                       {"\uFF1A", "\uFF20"},
                                                       {"\uFF3B", "\uFF40"},
                                                       {"\uFF5B", "\uFF65"}});
  return std::ranges::any_of(kMarks, [&](const Range& range) {
    const std::string_view character = text.substr(0, range.first.size());
    return range.first <= character && character <= range.last;
  });
}

/// A link of a text without the punctuation around it. Marks in its host are not its end.
std::string_view without_punctuation(std::string_view url) {
  const std::size_t slashes = url.find("://");
  const std::size_t host = slashes == std::string_view::npos ? 0 : slashes + 3;
  const std::size_t path = std::min(url.find('/', host), url.size());
  for (std::size_t at = path; at < url.size(); ++at) {
    if (ascii::is_high(url[at]) && begins_with_mark(url.substr(at))) url = url.substr(0, at);
  }
  while (!url.empty() && kAfterSentence.has(url.back())) url.remove_suffix(1);
  return url;
}

/// Where the footer of a plain text begins: at the first ruled line among its last lines with at
/// least as much text above as below. Mailing lists and free providers put one below; the text
/// itself is no footer, wherever its sender rules it off.
std::size_t footer_of(const Oneline& line, TextForm form) {
  constexpr std::size_t kFooterLinesMax = 25;
  constexpr std::size_t kRuleBytesMin = 20;
  constexpr ascii::CharSet kInk("_-=*~#");
  if (form == TextForm::kHtml) return line.text.size();
  std::size_t end = line.text.size();
  std::size_t footer = end;
  std::size_t lines = 0;
  for (auto start = line.line_starts.rbegin(); start != line.line_starts.rend(); ++start) {
    if (*start >= end) continue;
    if (++lines > kFooterLinesMax) break;
    const std::string_view text =
        ascii::trim_space(std::string_view(line.text).substr(*start, end - *start));
    const bool ruled = text.size() >= kRuleBytesMin && kInk.has(text.front()) &&
                       text.find_first_not_of(text.front()) == std::string_view::npos;
    if (ruled && *start >= line.text.size() - end) footer = *start;
    end = *start;
  }
  return footer;
}

class TextPieces {
 public:
  TextPieces(WorkMeter& meter, PieceList& pieces) : meter_(meter), pieces_(pieces) {}

  /// Any target of a link: a page, an address, a telephone number. `base`: of relative links, or
  /// null.
  void add_target(std::string_view url, const Link* base = nullptr) {
    if (!meter_.spend(kStepsALink)) return pieces_.note_dropped();
    url = ascii::trim_space(url);
    if (const auto rest = after_scheme(url, "mailto:")) return add_recipients(*rest);
    for (const std::string_view scheme : {"tel:", "callto:", "sms:"}) {
      const auto rest = after_scheme(url, scheme);
      if (!rest) continue;
      if (const auto phone = phone_of_link(*rest)) pieces_.add(PieceType::kPhone, *phone);
      return;
    }
    add_link(url, base);
  }

  /// The source of a picture.
  void add_picture(std::string_view url, const Link* base) {
    if (!meter_.spend(kStepsALink)) return pieces_.note_dropped();
    if (const auto link = read_link(ascii::trim_space(url), base))
      pieces_.add(PieceType::kImageLink, link->text());
  }

  /// A URL, an address or a bare name as find_urls() finds it.
  void add_found(std::string_view url, bool in_footer) {
    in_footer_ = in_footer;
    url = without_punctuation(url);
    if (is_address(url)) return add_address(url);
    add_target(has_scheme(url) ? std::string(url) : "http://" + std::string(url));
  }

 private:
  static std::optional<std::string_view> after_scheme(std::string_view url,
                                                      std::string_view scheme) {
    if (!ascii::starts_with_ignoring_case(url, scheme)) return std::nullopt;
    return url.substr(scheme.size());
  }

  static bool is_address(std::string_view url) {
    const std::size_t at = url.find_first_of("@:/?#");
    return at != std::string_view::npos && url[at] == '@';
  }

  /// "mailto:x" and "http://x" have one; "example.org:8080" and "example.org/a:b" have none.
  static bool has_scheme(std::string_view url) {
    const std::size_t end = url.find_first_of(":./?#");
    return end != std::string_view::npos && url[end] == ':';
  }

  void add_link(std::string_view url, const Link* base) {
    // Browsers go below the base, mail programs that ignore a base to the host that one reads.
    constexpr std::string_view kBareHost = "www.";
    if (base != nullptr && ascii::starts_with_ignoring_case(url, kBareHost))
      add_link(std::string("http://").append(url), nullptr);
    const auto link = read_link(url, base);
    if (!link) return;
    pieces_.add(PieceType::kLinkDomain, link->domain());
    pieces_.add(PieceType::kLinkHost, link->host);
    pieces_.add(PieceType::kLinkPath, link->first_step());
    pieces_.add(PieceType::kLink, link->text());
    if (in_footer_) return;
    pieces_.add(PieceType::kForeignHost, link->host);
    pieces_.add(PieceType::kLinkShape, link_shape(*link));
  }

  /// "//a@example.org,b@example.org?subject=x"
  void add_recipients(std::string_view list) {
    list = list.substr(0, std::min(list.find('?'), kLinkBytesMax));
    while (list.starts_with('/')) list.remove_prefix(1);
    while (!list.empty()) {
      if (!meter_.spend(kStepsAnAddress)) return pieces_.note_dropped();
      const std::size_t comma = list.find(',');
      add_address(percent_decoded(list.substr(0, comma)));
      list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
  }

  void add_address(std::string_view text) {
    const auto address = normal_address(text);
    if (address && !address->domain.empty()) pieces_.add(PieceType::kAddress, address->text());
  }

  WorkMeter& meter_;
  PieceList& pieces_;
  bool in_footer_ = false;
};

bool leads_somewhere(const HtmlElement& element) {
  return !element.url.empty() && element.name != "base" && element.name != "link";
}

/// Where an element leads in a browser.
std::string_view target_of(const HtmlElement& element) {
  return element.target.empty() ? element.url : element.target;
}

/// What relative links are relative to: the first <base> with a URL, as in browsers. Links could
/// hide their host there. What is called so in a drawing is another element.
std::optional<Link> base_of(std::span<const HtmlElement> elements) {
  std::optional<std::uint32_t> drawing;  // its depth
  for (const HtmlElement& element : elements) {
    if (drawing && element.depth > *drawing) continue;
    drawing.reset();
    if (element.name == "svg") drawing = element.depth;
    if (element.name == "base" && !element.url.empty()) return read_link(target_of(element));
  }
  return std::nullopt;
}

}  // namespace

void add_text_pieces(const VisibleText& text, Compat compat, const PieceOptions& options,
                     WorkMeter& meter, PieceList& pieces, Searched searched) {
  TextPieces named(meter, pieces);
  const std::optional<Link> base = base_of(text.elements);
  for (const HtmlElement& element : text.elements) {
    if (meter.refused()) break;
    const Link* const from = base ? &*base : nullptr;
    if (leads_somewhere(element)) named.add_target(target_of(element), from);
    if (!element.picture.empty()) named.add_picture(element.picture, from);
  }
  if (!meter.spend(text.content.size(), kStepsASearchedByte)) return pieces.note_dropped();
  Oneline made;
  if (text.words == nullptr) made = make_oneline(text.content, text.form);
  const Oneline& line = text.words != nullptr ? text.words->line : made;
  const UrlMode mode = text.form == TextForm::kHtml ? UrlMode::kStrict : UrlMode::kFull;
  std::vector<UrlSpan> found;
  const bool are_known = text.words != nullptr && text.words->url_mode == mode;
  if (!are_known) found = find_urls(line.text, line.line_starts, mode, compat, meter);
  const std::size_t footer = footer_of(line, text.form);
  for (const UrlSpan& span : are_known ? text.words->urls : found) {
    if (meter.refused()) break;
    named.add_found(std::string_view(line.text).substr(span.offset, span.length),
                    span.offset >= footer);
  }
  if (searched == Searched::kLinks) return;
  std::string storage;
  const std::string_view plain = with_plain_signs(text.content, storage);
  // One more than there is room for, so that the list counts that there were more.
  for (const std::string& phone : find_phones(plain, options.phones_max + 1)) {
    pieces.add(PieceType::kPhone, phone);
  }
  for (const std::string& wallet : find_wallets(plain, options.wallets_max + 1)) {
    pieces.add(PieceType::kWallet, wallet);
  }
}

}  // namespace shingled::mime
