#include "mime/pieces/text_pieces.h"

#include <algorithm>
#include <optional>
#include <string>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"
#include "mime/pieces/link.h"
#include "mime/pieces/link_shape.h"
#include "mime/pieces/normal_address.h"
#include "mime/pieces/phone_numbers.h"
#include "mime/pieces/wallets.h"
#include "mime/url/url_finder.h"

namespace shingled::mime {

namespace {

/// The search for telephone numbers and accounts, and the one-line form; of the most expensive
/// texts, which consist of accounts with wrong check digits.
constexpr Steps kStepsASearchedByte = 60;
/// A host with a look-up of its suffix, and the pieces that are made of it.
constexpr Steps kStepsALink = 6'000;

constexpr ascii::CharSet kAfterSentence(".,;:!?\"");

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

  /// Any target of a link: a page, an address, a telephone number.
  void add_target(std::string_view url) {
    if (!meter_.spend(kStepsALink)) return pieces_.note_dropped();
    url = ascii::trim_space(url);
    if (const auto rest = after_scheme(url, "mailto:")) return add_recipients(*rest);
    for (const std::string_view scheme : {"tel:", "callto:", "sms:"}) {
      const auto rest = after_scheme(url, scheme);
      if (!rest) continue;
      if (const auto phone = phone_of_link(*rest)) pieces_.add(PieceType::kPhone, *phone);
      return;
    }
    add_link(url);
  }

  /// A URL, an address or a bare name as find_urls() finds it.
  void add_found(std::string_view url, bool in_footer) {
    in_footer_ = in_footer;
    while (!url.empty() && kAfterSentence.has(url.back())) url.remove_suffix(1);
    if (is_address(url)) return add_address(url);
    if (url.find(':') != std::string_view::npos || read_link(url)) return add_target(url);
    add_target("http://" + std::string(url));
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

  void add_link(std::string_view url) {
    const auto link = read_link(url);
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

}  // namespace

void add_text_pieces(const VisibleText& text, Compat compat, const PieceOptions& options,
                     WorkMeter& meter, PieceList& pieces) {
  TextPieces named(meter, pieces);
  for (const HtmlElement& element : text.elements) {
    if (meter.refused()) break;
    if (leads_somewhere(element)) named.add_target(element.url);
  }
  if (!meter.spend(text.content.size(), kStepsASearchedByte)) return pieces.note_dropped();
  const Oneline line = make_oneline(text.content, text.form);
  const std::size_t footer = footer_of(line, text.form);
  const UrlMode mode = text.form == TextForm::kHtml ? UrlMode::kStrict : UrlMode::kFull;
  for (const UrlSpan& span : find_urls(line.text, line.line_starts, mode, compat, meter)) {
    if (meter.refused()) break;
    named.add_found(std::string_view(line.text).substr(span.offset, span.length),
                    span.offset >= footer);
  }
  // One more than there is room for, so that the list counts that there were more.
  for (const std::string& phone : find_phones(text.content, options.phones_max + 1)) {
    pieces.add(PieceType::kPhone, phone);
  }
  for (const std::string& wallet : find_wallets(text.content, options.wallets_max + 1)) {
    pieces.add(PieceType::kWallet, wallet);
  }
}

}  // namespace shingled::mime
