#include "mime/pieces/mail_address.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/url/host_name.h"

namespace shingled::mime {

namespace {

class MailboxReader {
 public:
  MailboxReader(std::string_view value, std::size_t count_max)
      : value_(value), count_max_(count_max) {}

  std::vector<Mailbox> read() {
    while (at_ < value_.size() && list_.size() < count_max_) read_next();
    finish();
    if (list_.size() > count_max_) list_.resize(count_max_);
    return std::move(list_);
  }

 private:
  void read_next() {
    switch (const char c = value_[at_]) {
      case '"':
        return read_quoted();
      case '(':
        return read_comment();
      case '<':
        return read_angle();
      case ',':
      case ';':
        ++at_;
        return finish();
      case ':':
        ++at_;
        return forget_phrase();  // the name of a group
      default:
        ++at_;
        if (c == '\r' || c == '\n') return;
        name_ += c;
        bare_ += c;
    }
  }

  void read_quoted() {
    bare_ += value_[at_++];
    while (at_ < value_.size()) {
      const char c = value_[at_++];
      bare_ += c;
      if (c == '"') return;
      const bool pair = c == '\\' && at_ < value_.size();
      if (pair) bare_ += value_[at_];
      name_ += pair ? value_[at_++] : c;
    }
  }

  void read_comment() {
    std::size_t depth = 0;
    for (; at_ < value_.size(); ++at_) {
      const char c = value_[at_];
      if (c == '\\' && at_ + 1 < value_.size()) {
        comment_ += value_[++at_];
        continue;
      }
      if (c == '(' && depth++ == 0) continue;
      if (c == ')' && --depth == 0) break;
      comment_ += c;
    }
    ++at_;
  }

  void read_angle() {
    std::string address;
    bool quoted = false;
    for (++at_; at_ < value_.size(); ++at_) {
      const char c = value_[at_];
      if (c == '>' && !quoted) break;
      if (c == '"') quoted = !quoted;
      if (c != '\r' && c != '\n') address += c;
      if (c == '\\' && at_ + 1 < value_.size()) address += value_[++at_];
    }
    ++at_;
    angle_ = ascii::trim_space(address);
    has_angle_ = true;
  }

  void forget_phrase() {
    name_.clear();
    bare_.clear();
    comment_.clear();
  }

  void finish() {
    Mailbox mailbox;
    mailbox.address = has_angle_ ? without_route(angle_) : ascii::trim_space(bare_);
    mailbox.name = ascii::trim_space(has_angle_ ? name_ : comment_);
    if (has_angle_ && mailbox.name.empty()) mailbox.name = ascii::trim_space(comment_);
    if (!mailbox.address.empty() || !mailbox.name.empty()) list_.push_back(std::move(mailbox));
    forget_phrase();
    angle_.clear();
    has_angle_ = false;
  }

  /// "@a,@b:user@c" is user@c (RFC 5322 4.4).
  static std::string_view without_route(std::string_view address) {
    const std::size_t colon = address.starts_with('@') ? address.find(':') : std::string_view::npos;
    return colon == std::string_view::npos ? address : address.substr(colon + 1);
  }

  std::string_view value_;
  std::size_t count_max_;
  std::size_t at_ = 0;
  std::string name_;     ///< of the mailbox so far, without quotes
  std::string bare_;     ///< the same with quotes: the address if no angle bracket follows
  std::string comment_;  ///< texts of its comments
  std::string angle_;    ///< its address in angle brackets
  bool has_angle_ = false;
  std::vector<Mailbox> list_;
};

}  // namespace

std::vector<Mailbox> read_mailboxes(std::string_view value, std::size_t count_max) {
  return MailboxReader(value, count_max).read();
}

namespace {

using ascii::equal_ignoring_case;
using ascii::starts_with_ignoring_case;
constexpr std::size_t kNoPlace = std::string_view::npos;

/// Takes the text up to `separator` off the front; nullopt if there is none.
std::optional<std::string_view> take_field(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == kNoPlace) return std::nullopt;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
}

bool is_host_name(std::string_view text) {
  return text.find('.') != kNoPlace && text.find('.') + 1 < text.size() && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return ascii::is_alnum(c) || ascii::is_high(c) || c == '.' || c == '-' || c == '_';
         });
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), ascii::is_digit);
}

/// The address that a forwarder rewrote; nullopt if this is not one.
std::optional<NormalAddress> without_srs(std::string_view local) {
  const bool once = starts_with_ignoring_case(local, "srs0");
  const bool twice = starts_with_ignoring_case(local, "srs1");
  constexpr std::size_t kMarkBytes = 4;
  if ((!once && !twice) || local.size() <= kMarkBytes) return std::nullopt;
  constexpr ascii::CharSet kAfterMark("=+-");
  if (!kAfterMark.has(local[kMarkBytes])) return std::nullopt;
  local.remove_prefix(kMarkBytes + 1);
  if (twice) {
    // SRS1=HASH=FORWARDER==HASH=TT=DOMAIN=LOCAL
    if (!take_field(local, '=') || !take_field(local, '=') || local.empty()) return std::nullopt;
    if (!kAfterMark.has(local.front())) return std::nullopt;
    local.remove_prefix(1);
  }
  if (!take_field(local, '=') || !take_field(local, '=')) return std::nullopt;
  const auto domain = take_field(local, '=');
  if (!domain || !is_host_name(*domain) || local.empty()) return std::nullopt;
  return NormalAddress{std::string(local), std::string(*domain)};
}

/// The rest after a signature of the sender's own server; the same text without one.
std::string_view without_batv(std::string_view local) {
  std::string_view rest = local;
  if (starts_with_ignoring_case(local, "btv1==")) {
    constexpr std::string_view kBetween = "==";
    rest.remove_prefix(std::string_view("btv1==").size());
    const std::size_t end = rest.find(kBetween);
    rest = end == kNoPlace ? "" : rest.substr(end + kBetween.size());
  } else if (starts_with_ignoring_case(local, "prvs=") ||
             starts_with_ignoring_case(local, "msprvs1=")) {
    (void)take_field(rest, '=');
    if (!take_field(rest, '=')) return local;
  }
  return rest.empty() ? local : rest;
}

/// Without the recipient that a list wrote into its return path, and the number of the message.
std::string_view without_verp(std::string_view local) {
  const std::size_t equals = local.rfind('=');
  if (equals == kNoPlace || !is_host_name(local.substr(equals + 1))) return local;
  std::string_view rest = local.substr(0, equals);
  // The user may have hyphens: what a list puts before it begins with a number, mostly.
  for (std::size_t at = rest.find('-'); at != kNoPlace; at = rest.find('-', at + 1)) {
    const std::size_t next = rest.find('-', at + 1);
    if (next == kNoPlace) break;
    if (at > 0 && is_number(rest.substr(at + 1, next - at - 1))) return rest.substr(0, at);
  }
  const std::size_t hyphen = rest.rfind('-');
  return hyphen == kNoPlace || hyphen == 0 ? local : rest.substr(0, hyphen);
}

std::string_view without_tag(std::string_view local) {
  const std::size_t plus = local.find('+');
  return plus == kNoPlace || plus == 0 ? local : local.substr(0, plus);
}

/// Lower case; quotes, backslashes, blanks and control characters make no other mailbox.
std::string plain_local(std::string_view local) {
  std::string out;
  for (const char c : local) {
    const bool kept = (ascii::is_graph(c) && c != '"' && c != '\\') || ascii::is_high(c);
    if (kept) out += ascii::to_lower(c);
  }
  return out;
}

NormalAddress split(std::string_view address) {
  const std::size_t at = address.rfind('@');
  const std::string_view domain = at == kNoPlace ? "" : address.substr(at + 1);
  return {plain_local(address.substr(0, at)), ascii_host(plain_local(domain))};
}

/// Whether it has the form a.b-c@d.e: then nothing in it is a mark, a quote or a root.
bool is_plain(std::string_view address) {
  const std::size_t at = address.find('@');
  if (at == 0 || at == kNoPlace || at + 1 == address.size() || address.back() == '.') return false;
  const auto is_plain_byte = [](char c) {
    return ascii::is_alnum(c) || c == '.' || c == '-' || c == '_';
  };
  return std::ranges::all_of(address.substr(0, at), is_plain_byte) &&
         std::ranges::all_of(address.substr(at + 1), is_plain_byte);
}

}  // namespace

std::optional<NormalAddress> normal_address(std::string_view address) {
  if (address.size() > kAddressBytesMax) return std::nullopt;
  NormalAddress out = split(address);
  if (is_plain(address)) return out;
  // One mark may be inside another. Each step makes it shorter, so this ends.
  for (std::size_t before = 0; before != out.local.size() + out.domain.size();) {
    before = out.local.size() + out.domain.size();
    if (auto original = without_srs(out.local)) out = *std::move(original);
    out = split(out.text());  // "a@b" in quotes before an empty domain is a mailbox again
    out.local = std::string(without_batv(out.local));
    out.local = std::string(without_verp(out.local));
    out.local = std::string(without_tag(out.local));
  }
  if (out.local.empty() || out.text().size() > kAddressBytesMax) return std::nullopt;
  return out;
}

}  // namespace shingled::mime
