#include "mime/url/url_finder.h"

#include <algorithm>
#include <optional>

#include "config/base/ascii.h"
#include "mime/url/host_name.h"
#include "mime/url/web_url.h"

namespace shingled::mime {

namespace {

using namespace ascii;

// From a search for the most expensive texts: a host of 253 bytes and a look-up of its suffix.
constexpr Steps kStepsAMatch = 20;
constexpr Steps kStepsAHost = 400;
constexpr Steps kStepsAStart = 300;  ///< to check whether a URL begins there

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kNameStepsMax = 262;  ///< walking back over a bare name
constexpr std::size_t kUserBytesMax = 65;   ///< before the @ of a mail address
constexpr std::size_t kPhoneBytesMax = 64;  ///< of a tel link

enum class Kind : std::uint8_t { kWeb, kForeign, kMailto, kPhone, kWww, kFtp, kAt, kName };

/// A possible beginning of a URL, found by a character that is rare in text.
struct Match {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  Kind kind = Kind::kWeb;
};

struct Scheme {
  std::string_view name;
  std::string_view slashes;  ///< must follow the colon; `//` also means two backslashes
  Kind kind;
};
constexpr Scheme kSchemes[] = {{"http", "", Kind::kWeb},         {"https", "", Kind::kWeb},
                               {"mailto", "", Kind::kMailto},    {"tel", "", Kind::kPhone},
                               {"callto", "", Kind::kPhone},     {"ftp", "//", Kind::kWeb},
                               {"file", "//", Kind::kForeign},   {"sftp", "//", Kind::kForeign},
                               {"news", "//", Kind::kForeign},   {"nntp", "//", Kind::kForeign},
                               {"telnet", "//", Kind::kForeign}, {"webcal", "//", Kind::kForeign},
                               {"h323", "", Kind::kForeign},     {"sip", "", Kind::kForeign}};

constexpr CharSet kEndsScheme("psolet3PSOLET");  ///< the last characters of these names

constexpr CharSet kAfterName("/:");

bool is_domain_char(char c) {
  return is_alnum(c) || is_high(c) || c == '-' || c == '.' || c == '_' || c == '%' || c == '\\' ||
         c == '^';
}

class UrlFinder {
 public:
  UrlFinder(std::string_view text, std::span<const std::uint32_t> line_starts, UrlMode mode,
            Compat compat, WorkMeter& meter)
      : text_(text), line_starts_(line_starts), mode_(mode), compat_(compat), meter_(meter) {}

  std::vector<UrlSpan> find() {
    collect_matches(text_.size());
    std::vector<UrlSpan> spans;
    for (const Match& match : matches_) {
      if (match.end < fin_) continue;
      if (meter_.refused()) break;
      if (const auto span = read(match)) spans.push_back(*span);
    }
    return spans;
  }

  /// Whether the first span of find() would be at 0. In most texts no match could give one. If one
  /// could, the matches before it are read, as they may come first.
  bool begins() {
    collect_matches(first_match_max() + 1);
    if (!meter_.spend(kStepsAStart)) return false;
    const auto at_start = [](const std::optional<UrlSpan>& span) {
      return span && span->offset == 0;
    };
    const auto gives_one = [&, names_end = domain_end()](const Match& match) {
      const bool name = match.kind == Kind::kName;
      const bool may = name ? match.begin < names_end : match.begin == 0 || match.kind == Kind::kAt;
      return may && at_start(read(match));
    };
    if (std::none_of(matches_.begin(), matches_.end(), gives_one)) return false;
    fin_ = 0;
    mailto_at_ = kNone;
    for (const Match& match : matches_) {
      if (match.end < fin_) continue;
      if (const auto span = read(match)) return at_start(span);
    }
    return false;
  }

 private:
  // ---- step 1: where a URL may begin ----

  /// Collects the matches whose rare character is before `end`, in reading order.
  void collect_matches(std::size_t end) {
    end = std::min(end, text_.size());
    const auto next = [this](std::size_t at) { return find_any<':', '@', '.'>(text_, at); };
    for (std::size_t at = next(0); at < end; at = next(at + 1)) {
      if (!meter_.spend(kStepsAMatch)) return;
      if (text_[at] == ':') {
        collect_schemes(at);
      } else if (text_[at] == '@') {
        add_match(at, at + 1, Kind::kAt);
      } else {
        collect_names(at);
      }
    }
    const auto by_end = [](const Match& a, const Match& b) { return a.end < b.end; };
    if (!std::is_sorted(matches_.begin(), matches_.end(), by_end)) {
      std::stable_sort(matches_.begin(), matches_.end(), by_end);
    }
  }

  /// The last place for the rare character of a URL that begins the text: only a name or a user can
  /// precede it.
  [[nodiscard]] std::size_t first_match_max() const {
    const std::size_t end = std::min(text_.size(), kNameStepsMax + 1);
    std::size_t at = 0;
    while (at < end && (is_domain_char(text_[at]) || kMailUser.has(text_[at]))) ++at;
    return at;
  }

  /// The end of the name that the text may begin with.
  [[nodiscard]] std::size_t domain_end() const {
    const auto end = std::find_if_not(text_.begin(), text_.end(), is_domain_char);
    return static_cast<std::size_t>(end - text_.begin());
  }

  void collect_schemes(std::size_t colon) {
    if (colon == 0 || !kEndsScheme.has(text_[colon - 1])) return;
    for (const Scheme& scheme : kSchemes) {
      if (colon < scheme.name.size()) continue;
      const std::size_t begin = colon - scheme.name.size();
      if (!starts_with_ignoring_case(text_.substr(begin), scheme.name)) continue;
      const std::string_view rest = text_.substr(colon + 1);
      const bool slashed =
          rest.starts_with("//") ||
          (rest.starts_with("\\\\") && (scheme.name == "ftp" || scheme.name == "file"));
      if (!scheme.slashes.empty() && !slashed) continue;
      add_match(begin, colon + 1 + scheme.slashes.size(), scheme.kind);
    }
  }

  void collect_names(std::size_t dot) {
    constexpr std::size_t kPrefixBytes = 3;
    if (dot >= kPrefixBytes) {
      const std::string_view prefix = text_.substr(dot - kPrefixBytes);
      if (starts_with_ignoring_case(prefix, "www"))
        add_match(dot - kPrefixBytes, dot + 1, Kind::kWww);
      if (starts_with_ignoring_case(prefix, "ftp"))
        add_match(dot - kPrefixBytes, dot + 1, Kind::kFtp);
    }
    if (mode_ == UrlMode::kStrict) return;
    std::size_t end = dot + 1;
    while (end < text_.size() && is_alpha(text_[end])) ++end;
    if (end > dot + 1) add_match(dot, end, Kind::kName);
  }

  void add_match(std::size_t begin, std::size_t end, Kind kind) {
    matches_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), kind});
  }

  // ---- steps 2 to 7: what lies there ----

  std::optional<UrlSpan> read(const Match& match) {
    place_lines(match.begin);
    switch (match.kind) {
      case Kind::kWeb:
      case Kind::kForeign:
      case Kind::kFtp:
        if (match.begin > 0 && is_alnum(text_[match.begin - 1])) return std::nullopt;
        return read_web(match.begin, match);
      case Kind::kWww:
        return may_start_www(match) ? read_web(match.begin, match) : std::nullopt;
      case Kind::kName:
        return read_name(match);
      case Kind::kMailto:
        return read_mailto(match);
      case Kind::kPhone:
        return read_phone(match);
      case Kind::kAt:
        return read_at(match);
    }
    return std::nullopt;
  }

  /// Finds the line of `at`. Matches are sorted by their ends, so their begins may go back a
  /// little.
  void place_lines(std::size_t at) {
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
    line_end_ = next == line_starts_.end() ? kNone : *next;
    line_begin_ = next == line_starts_.begin() ? kNone : *(next - 1);
  }

  [[nodiscard]] bool may_start_www(const Match& match) const {
    if (compat_ == Compat::kRspamd4 && (match.end >= text_.size() || !is_alnum(text_[match.end]))) {
      return false;
    }
    if (match.begin == 0 || match.begin == line_begin_) return true;
    const char before = text_[match.begin - 1];
    return is_space(before) || opens_url(before) || is_high(before);
  }

  /// A URL ends with its line, unless a `<` precedes it.
  [[nodiscard]] std::size_t limit_of(std::size_t begin) const {
    const bool angled = begin > 0 && text_[begin - 1] == '<';
    return angled ? text_.size() : std::min(line_end_, text_.size());
  }

  std::optional<UrlSpan> read_web(std::size_t begin, const Match& match) {
    if (!meter_.spend(kStepsAHost)) return std::nullopt;
    const std::size_t limit = limit_of(begin);
    const bool schemed =
        match.kind == Kind::kWeb || match.kind == Kind::kForeign ||
        (match.kind == Kind::kName && starts_with_ignoring_case(text_.substr(begin), "http://"));
    const auto url = read_web_url(text_.substr(begin, limit - begin),
                                  schemed ? UrlStart::kScheme : UrlStart::kAuthority);
    if (!url || (schemed && !url->has_user && may_have_user(begin + url->host_end, limit))) {
      return std::nullopt;
    }
    std::size_t end = begin + url->host_end;
    if (url->has_path) end = std::min(path_end(end), limit);
    if (is_stray_angle(begin, end)) return std::nullopt;
    fin_ = compat_ == Compat::kRspamd4 ? end : end + 1;
    if (match.kind == Kind::kForeign || !is_plausible_host(*url, compat_)) return std::nullopt;
    return span(begin, end);
  }

  /// `http://example.com is at a@b`: all text before an `@` counts as the user, unless one of `/ ?
  /// #` comes first, and a user with a space makes the URL invalid.
  bool may_have_user(std::size_t at, std::size_t limit) {
    constexpr CharSet kEndsAuthority("@/?#");
    if (at < authority_begin_ || at > authority_end_) {
      authority_begin_ = at;
      authority_end_ = at;
      while (authority_end_ < text_.size() && !kEndsAuthority.has(text_[authority_end_])) {
        ++authority_end_;
      }
    }
    return authority_end_ < limit && text_[authority_end_] == '@';
  }

  /// `http://example.com> text`: a `>` without a `<` makes the URL invalid.
  [[nodiscard]] bool is_stray_angle(std::size_t begin, std::size_t end) const {
    if (end >= text_.size() || text_[end] != '>' || end == line_end_) return false;
    if (begin > 0 && text_[begin - 1] == '<') return false;
    return end + 1 >= text_.size() || is_space(text_[end + 1]);
  }

  /// The first white space or closing bracket at or after `at`. Remembered, as many URLs may share
  /// it.
  std::size_t path_end(std::size_t at) {
    if (at < path_begin_ || at > path_end_) {
      path_begin_ = at;
      path_end_ = at;
      while (path_end_ < text_.size() && !is_space(text_[path_end_]) &&
             !ends_url(text_[path_end_])) {
        ++path_end_;
      }
    }
    return path_end_;
  }

  /// Reads a bare name backwards from its public suffix.
  std::optional<UrlSpan> read_name(const Match& match) {
    if (!may_follow_name(match.end)) return std::nullopt;
    const auto begin = name_begin(match.begin);
    if (!begin || !meter_.spend(kStepsAHost) ||
        !below_public_suffix(text_.substr(*begin, match.end - *begin))) {
      return std::nullopt;
    }
    return read_web(*begin, match);
  }

  [[nodiscard]] bool ends_name(std::size_t at) const {
    if (at >= text_.size() || at == line_end_) return true;
    const char c = text_[at];
    return is_space(c) || kAfterName.has(c) || ends_url(c);
  }
  [[nodiscard]] bool may_follow_name(std::size_t at) const {
    return ends_name(at) || (text_[at] == '.' && ends_name(at + 1));
  }

  [[nodiscard]] std::optional<std::size_t> name_begin(std::size_t dot) const {
    for (std::size_t at = dot;; --at) {
      const char c = text_[at];
      if (dot - at > kNameStepsMax) return std::nullopt;
      const bool opens = is_space(c) || opens_url(c);
      if (opens || at == line_begin_) {
        const std::size_t begin = at == line_begin_ ? at : at + 1;
        return is_alnum(text_[begin]) ? std::optional(begin) : std::nullopt;
      }
      if (!is_domain_char(c)) return std::nullopt;
      if (c == '.' && (at == 0 || !is_alnum(text_[at + 1]))) return std::nullopt;
      if (at == 0) return at;
    }
  }

  std::optional<UrlSpan> read_mailto(const Match& match) {
    const std::size_t limit = limit_of(match.begin);
    std::size_t at = match.end;
    while (at < limit && text_[at] == '/') ++at;
    const std::size_t user = at;
    while (at < limit && kMailUser.has(text_[at])) ++at;
    if (at == user || at - user > kUserBytesMax || at >= limit || text_[at] != '@') {
      return std::nullopt;
    }
    mailto_at_ = at;
    const std::size_t host = ++at;
    while (at < limit && is_domain_char(text_[at])) ++at;
    const std::size_t host_end = at;
    if (at < limit && text_[at] == '?') at = std::min(path_end(at), limit);
    return address_span(match.begin, at, text_.substr(host, host_end - host));
  }

  [[nodiscard]] std::optional<UrlSpan> read_at(const Match& match) const {
    const std::size_t sign = match.begin;
    if (sign == mailto_at_ || sign == 0 || sign + 2 >= text_.size()) return std::nullopt;
    if (!is_alnum(text_[sign - 1]) || !is_alnum(text_[sign + 1])) return std::nullopt;
    std::size_t begin = sign - 1;
    while (begin > 0 && kMailUser.has(text_[begin]) && begin != line_begin_) --begin;
    while (!is_alnum(text_[begin])) ++begin;
    if (sign - begin > kUserBytesMax) return std::nullopt;
    std::size_t end = sign + 1;
    while (end < text_.size() && is_domain_char(text_[end]) && end != line_end_) ++end;
    if (end < text_.size()) {
      while (!is_alnum(text_[end - 1])) --end;
    }
    if (end <= sign + 1) return std::nullopt;  // a bare CR ends the line
    return address_span(begin, end, text_.substr(sign + 1, end - sign - 1));
  }

  [[nodiscard]] std::optional<UrlSpan> address_span(std::size_t begin, std::size_t end,
                                                    std::string_view host) const {
    if (!meter_.spend(kStepsAHost) || !below_public_suffix(host)) return std::nullopt;
    return span(begin, end);
  }

  /// rspamd lets a telephone link run to the end of its line.
  [[nodiscard]] std::optional<UrlSpan> read_phone(const Match& match) const {
    const std::size_t end = limit_of(match.begin);
    if (end - match.begin > kPhoneBytesMax) return std::nullopt;
    std::size_t at = match.end;
    while (at < end && (text_[at] == '/' || text_[at] == ' ' || text_[at] == '+')) ++at;
    if (at >= end || !is_digit(text_[at])) return std::nullopt;
    return span(match.begin, end);
  }

  static UrlSpan span(std::size_t begin, std::size_t end) {
    return {.offset = static_cast<std::uint32_t>(begin),
            .length = static_cast<std::uint32_t>(end - begin)};
  }

  std::string_view text_;
  std::span<const std::uint32_t> line_starts_;
  UrlMode mode_;
  Compat compat_;
  WorkMeter& meter_;
  std::vector<Match> matches_;
  std::size_t fin_ = 0;             ///< matches that end before this are inside a URL
  std::size_t line_begin_ = kNone;  ///< of the line the match lies in
  std::size_t line_end_ = kNone;
  std::size_t mailto_at_ = kNone;    ///< the @ of the mailto link found last
  std::size_t authority_begin_ = 1;  ///< from here up to authority_end_ is no @ / ? #
  std::size_t authority_end_ = 0;
  std::size_t path_begin_ = 1;  ///< path_end() from here on is path_end_
  std::size_t path_end_ = 0;
};

}  // namespace

std::vector<UrlSpan> find_urls(std::string_view text, std::span<const std::uint32_t> line_starts,
                               UrlMode mode, Compat compat, WorkMeter& meter) {
  return UrlFinder(text, line_starts, mode, compat, meter).find();
}

bool begins_with_url(std::string_view text, Compat compat, WorkMeter& meter) {
  return UrlFinder(text.substr(0, kUrlStartBytesMax), {}, UrlMode::kFull, compat, meter).begins();
}

}  // namespace shingled::mime
