#include "config/document/field.h"

#include <algorithm>

namespace shingled::config {

namespace {

std::vector<std::string> split_words(std::string_view text) {
  constexpr std::string_view kBetween = ", \t\r\n";
  std::vector<std::string> out;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return out;
    const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

}  // namespace

void Field::problem(std::string_view what, std::string_view allowed) const {
  problem(std::string(what) + "; allowed: " + std::string(allowed));
}

std::optional<std::string_view> Field::scalar(std::string_view allowed) const {
  switch (node_->kind) {
    case YamlNode::Kind::kScalar:
      return node_->text;
    case YamlNode::Kind::kNull:
      problem("has no value", allowed);
      return std::nullopt;
    case YamlNode::Kind::kList:
      problem("is a list", allowed);
      return std::nullopt;
    case YamlNode::Kind::kMap:
      problem("is a map", allowed);
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Field> Field::list() const {
  if (node_->kind != YamlNode::Kind::kList) return {*this};
  std::vector<Field> out;
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    const std::string key = key_ + '[' + std::to_string(i) + ']';
    diagnostics_->places().put(key, node_->items[i].position);
    out.emplace_back(node_->items[i], key, *diagnostics_, quoting_);
  }
  return out;
}

std::vector<std::pair<Field, std::string>> Field::words(std::string_view allowed) const {
  std::vector<std::pair<Field, std::string>> out;
  if (is_null() || node_->kind == YamlNode::Kind::kMap) {
    problem(is_null() ? "has no value" : "is a map",
            std::string(allowed) + ", a list of them, or [] for none");
    return out;
  }
  for (const Field& item : list()) {
    const auto text = item.scalar(allowed);
    if (!text) continue;
    for (std::string& word : split_words(*text)) out.emplace_back(item, std::move(word));
  }
  return out;
}

void Field::refuse(std::string_view word, std::string_view what, std::string_view allowed) const {
  constexpr std::size_t kWordBytesMax = 15;  // a key of 32 bytes has 43 characters or more
  const bool shows = quoting_ == Quoting::kText || word.size() <= kWordBytesMax;
  const std::string shown = shows ? in_quotes(word) + ' ' : "";
  problem(shown + "is " + std::string(what), allowed);
}

std::optional<SocketSpec> read_socket(const Field& field, std::string_view text,
                                      std::uint16_t default_port) {
  constexpr std::size_t kSocketBytesMax = 300;  // a host name has at most 253
  if (text.size() > kSocketBytesMax) {
    field.problem(in_quotes(text) + " is too long for a socket");
    return std::nullopt;
  }
  auto spec = SocketSpec::parse(text, default_port);
  if (spec) return *spec;
  field.problem(spec.error().message);
  return std::nullopt;
}

}  // namespace shingled::config
