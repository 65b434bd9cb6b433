#include "mime/pieces/authentication_results.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/message/header_block.h"

namespace shingled::mime {

namespace {

class AuthResultsReader {
 public:
  explicit AuthResultsReader(std::string_view value)
      : value_(value.substr(0, kAuthResultsBytesMax)) {}

  std::optional<AuthenticationResults> read() {
    AuthenticationResults out;
    out.server = ascii::to_lower(read_value());
    const std::string version = read_value();
    if (out.server.empty() || (!version.empty() && version != "1")) return std::nullopt;
    skip_to_semicolon();
    while (at_ < value_.size() && out.results.size() < kAuthResultsMax) {
      ++at_;  // the semicolon
      if (auto result = read_result()) out.results.push_back(*std::move(result));
      skip_to_semicolon();
    }
    return out;
  }

 private:
  /// method "=" result, then properties.
  std::optional<AuthResult> read_result() {
    AuthResult out;
    out.method = read_key();
    out.method.erase(std::min(out.method.find('/'), out.method.size()));  // its version
    if (out.method.empty() || !take_equals()) return std::nullopt;
    out.result = ascii::to_lower(read_value());
    if (out.result.empty()) return std::nullopt;
    while (out.properties.size() < kAuthPropertiesMax) {
      AuthResult::Property property;
      property.name = read_key();
      if (property.name.empty() || !take_equals()) break;
      property.value = read_value();
      // "reason" and words of our own time have no dot.
      const bool named = property.name.find('.') != std::string::npos;
      if (named && !property.value.empty()) out.properties.push_back(std::move(property));
    }
    return out;
  }

  /// A method or property in lower case; blanks and comments may be around its dot or slash.
  std::string read_key() {
    std::string key;
    bool joined = true;
    for (skip_blanks(); at_ < value_.size(); skip_blanks()) {
      const char c = value_[at_];
      const bool joins = c == '.' || c == '/';
      if (!joins && !joined) break;
      if (joins) {
        key += c;
        ++at_;
        joined = true;
        continue;
      }
      const std::size_t begin = at_;
      while (at_ < value_.size() &&
             (ascii::is_alnum(value_[at_]) || value_[at_] == '-' || value_[at_] == '_')) {
        key += ascii::to_lower(value_[at_++]);
      }
      if (at_ == begin) break;
      joined = false;
    }
    return key;
  }

  /// Words and quoted strings without blanks between them: "a b"@example.org.
  std::string read_value() {
    constexpr ascii::CharSet kEnds("; \t\r\n(");
    std::string out;
    skip_blanks();
    while (at_ < value_.size() && !kEnds.has(value_[at_])) {
      if (value_[at_] == '"') {
        read_quoted(out);
      } else {
        out += value_[at_++];
      }
    }
    return out;
  }

  void read_quoted(std::string& out) {
    for (++at_; at_ < value_.size() && value_[at_] != '"'; ++at_) {
      if (value_[at_] == '\\' && at_ + 1 < value_.size()) ++at_;
      out += value_[at_];
    }
    if (at_ < value_.size()) ++at_;
  }

  bool take_equals() {
    skip_blanks();
    if (at_ >= value_.size() || value_[at_] != '=') return false;
    ++at_;
    return true;
  }

  void skip_blanks() { static_cast<void>(skip_blanks_and_comments(value_, at_)); }

  /// Over what could not be read; a semicolon in a comment or in quotes does not end it.
  void skip_to_semicolon() {
    std::string ignored;
    for (skip_blanks(); at_ < value_.size() && value_[at_] != ';'; skip_blanks()) {
      if (value_[at_] == '"') {
        read_quoted(ignored);
      } else {
        ++at_;
      }
    }
  }

  std::string_view value_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> AuthResult::property(std::string_view name) const {
  std::optional<std::string_view> out;
  for (const Property& property : properties) {
    if (property.name != name) continue;
    if (out && *out != property.value) return std::nullopt;
    out = property.value;
  }
  return out;
}

std::optional<AuthenticationResults> read_authentication_results(std::string_view value) {
  return AuthResultsReader(value).read();
}

}  // namespace shingled::mime
