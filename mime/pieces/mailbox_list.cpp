#include "mime/pieces/mailbox_list.h"

#include <utility>

#include "config/base/ascii.h"

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

}  // namespace shingled::mime
