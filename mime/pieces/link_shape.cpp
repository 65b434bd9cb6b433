#include "mime/pieces/link_shape.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kStepsMin = 3;
constexpr std::size_t kMixedBytesMin = 16;
constexpr std::size_t kCapitalBytesMin = 24;

bool is_random(std::string_view step) {
  if (step.size() < kMixedBytesMin) return false;
  const bool digit = std::ranges::any_of(step, ascii::is_digit);
  const bool letter = std::ranges::any_of(step, ascii::is_alpha);
  if (digit && letter) return true;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return step.size() >= kCapitalBytesMin && std::ranges::any_of(step.substr(1), is_capital);
}

class Shape {
 public:
  void add(char mark, std::string_view step) {
    text_ += mark;
    ++steps_;
    if (is_random(step)) {
      text_ += '*';
      return;
    }
    bool digits = false;
    for (const char c : step) {
      const bool digit = ascii::is_digit(c);
      if (!digit) text_ += c;
      if (digit && !digits) text_ += '0';
      digits = digit;
      telling_ = telling_ || ascii::is_alpha(c);
    }
  }

  std::string take() { return telling_ && steps_ >= kStepsMin ? std::move(text_) : std::string(); }

 private:
  std::string text_;
  std::size_t steps_ = 0;
  bool telling_ = false;  ///< has a letter that stays
};

/// The text up to the next `end`, which is taken away, too.
std::string_view next(std::string_view& text, char end) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view step = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return step;
}

}  // namespace

std::string link_shape(const Link& link) {
  Shape shape;
  std::string_view path = link.path;
  next(path, '/');
  while (!path.empty()) shape.add('/', next(path, '/'));
  std::string_view query = link.query;
  for (char before = '?'; !query.empty(); before = '&') {
    std::string_view name = next(query, '&');
    shape.add(before, next(name, '='));
  }
  return shape.take();
}

}  // namespace shingled::mime
