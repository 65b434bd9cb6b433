#include "config/document/diagnostics.h"

#include <algorithm>

#include "config/base/hex.h"

namespace shingled::config {

namespace {

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += "\\x";
      append_hex(out, static_cast<std::uint8_t>(c));
    }
  }
  return out;
}

std::string cut(std::string_view text) {
  constexpr std::size_t kQuotedBytesMax = 64;
  return printable(text.substr(0, kQuotedBytesMax)) + (text.size() > kQuotedBytesMax ? "..." : "");
}

}  // namespace

std::string in_quotes(std::string_view text) { return '\'' + cut(text) + '\''; }

void Diagnostics::add(const Position& position, std::string_view key, std::string_view what,
                      Problem::Severity severity) {
  if (severity == Problem::Severity::kError) ++errors_;
  if (full()) {
    ++dropped_;
    return;
  }
  constexpr std::size_t kKeyBytesMax = 256;
  found_.push_back({position, printable(key.substr(0, kKeyBytesMax)), printable(what), severity});
}

void Diagnostics::include(const Diagnostics& other) {
  errors_ += other.errors_;
  dropped_ += other.dropped_;
  for (const Problem& problem : other.problems()) {
    if (problem.line == 0 && other.dropped_ > 0) continue;  // how many there are more
    if (full()) {
      ++dropped_;
    } else {
      included_.push_back(problem);
    }
  }
}

std::vector<Problem> Diagnostics::problems() const {
  std::vector<Found> sorted = found_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Found& a, const Found& b) { return a.position < b.position; });
  std::vector<Problem> out;
  for (const Found& found : sorted) {
    const bool in_file = found.position.origin == Position::Origin::kFile;
    out.push_back({in_file ? file_name_ : "-o", found.position.line, found.position.column,
                   found.key, found.what, found.severity});
  }
  out.insert(out.end(), included_.begin(), included_.end());
  if (dropped_ > 0) {
    out.push_back({file_name_, 0, 0, "", "and " + std::to_string(dropped_) + " more problems",
                   empty() ? Problem::Severity::kWarning : Problem::Severity::kError});
  }
  return out;
}

}  // namespace shingled::config
