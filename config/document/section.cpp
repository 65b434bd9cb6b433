#include "config/document/section.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "config/base/number_text.h"
#include "config/reference/key_text.h"
#include "config/words/nearest_word.h"
#include "config/words/units.h"

namespace shingled::config {

namespace {

constexpr std::string_view kDurationForm =
    "a number with ms, s, m, h, d or w, such as 90d or 1h30m";
constexpr std::string_view kSizeForm = "bytes, or a number with K, M, G or T, such as 64K";

std::string between(std::string_view least, std::string_view most) {
  return std::string(least) + " to " + std::string(most);
}

/// "at least 0.5" where there is no upper bound worth telling.
std::string format_range(Range<double> range) {
  constexpr double kUnbounded = std::numeric_limits<double>::max();
  if (range.most < kUnbounded)
    return between(shortest_text(range.least), shortest_text(range.most));
  if (range.least > -kUnbounded) return "a number of at least " + shortest_text(range.least);
  return "a number such as 4.5";
}

/// Two spellings of one value, such as 7210s and 2h10s.
bool means_the_same(std::string_view a, std::string_view b) {
  const auto equal = [](const auto& x, const auto& y) { return x && x == y; };
  return a == b || equal(parse_size(a), parse_size(b)) ||
         equal(parse_duration(a), parse_duration(b));
}

}  // namespace

Section::Section(const YamlNode* node, std::string path, Diagnostics& diagnostics)
    : node_(node), path_(std::move(path)), diagnostics_(&diagnostics) {
  // A section whose entries are all commented out reads as null; it is empty.
  if (node_ == nullptr || node_->kind == YamlNode::Kind::kNull) {
    node_ = nullptr;
  } else if (node_->kind != YamlNode::Kind::kMap) {
    diagnostics.add(
        node_->position, path_,
        std::string(node_->kind == YamlNode::Kind::kList ? "is a list" : "is a single value") +
            "; allowed: a map of settings" + std::string(hint_of_ucl(node_->text)));
    node_ = nullptr;
  }
}

Section::~Section() { report_strangers(); }

void Section::report_strangers() const {
  if (node_ == nullptr) return;
  std::map<std::string_view, int> lines;
  for (const YamlNode& entry : node_->items) {
    if (diagnostics_->full()) return;
    const std::string shown = quoting_ == Quoting::kText ? path_to(entry.key) : path_;
    const auto [first, fresh] = lines.try_emplace(entry.key, entry.key_position.line);
    if (!fresh) {
      diagnostics_->add(entry.key_position, shown,
                        "duplicate key; first given in line " + std::to_string(first->second));
      continue;
    }
    if (any_key_) continue;
    const auto is = [&](const std::string& name) { return name == entry.key; };
    if (std::any_of(known_.begin(), known_.end(), is)) continue;
    if (std::any_of(other_names_.begin(), other_names_.end(), is)) continue;
    std::string what = "unknown key";
    const auto home = home_of(entry.key);
    auto meant = nearest_word(entry.key, known_);
    // The same name further down is a better guess than a similar one here.
    const bool below = home && home->starts_with(path_ + '.') && home->ends_with('.' + entry.key);
    if (home && (!meant || below)) meant = home;
    if (meant) {
      what += "; did you mean " + in_quotes(*meant) + "?";
    } else {
      what += "; allowed:";
      for (const std::string& name : known_) what += (&name == &known_.front() ? " " : ", ") + name;
    }
    diagnostics_->add(entry.key_position, shown, what);
  }
}

std::string Section::path_to(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
}

Section Section::section(std::string_view key) {
  known_.emplace_back(key);
  const YamlNode* node = node_ == nullptr ? nullptr : node_->find(key);
  if (node != nullptr) diagnostics_->places().put(path_to(key), node->key_position);
  return Section(node, path_to(key), *diagnostics_);
}

std::vector<Field> Section::entries() {
  any_key_ = true;
  std::vector<Field> out;
  if (node_ == nullptr) return out;
  std::set<std::string_view> seen;
  for (const YamlNode& entry : node_->items) {
    if (!seen.insert(entry.key).second) continue;
    diagnostics_->give(path_to(entry.key), entry, entry.key_position);
    out.emplace_back(entry, path_to(entry.key), *diagnostics_);
  }
  return out;
}

std::optional<Field> Section::field(std::string_view key,
                                    std::initializer_list<std::string_view> other_names) {
  known_.emplace_back(key);
  diagnostics_->ask(path_to(key));
  const YamlNode* found = node_ == nullptr ? nullptr : node_->find(key);
  for (const std::string_view name : other_names) {
    other_names_.emplace_back(name);
    const YamlNode* other = node_ == nullptr ? nullptr : node_->find(name);
    if (other == nullptr) continue;
    if (found != nullptr) {
      diagnostics_->add(other->key_position, path_to(name),
                        "another name of " + in_quotes(found->key) + ", which is given in line " +
                            std::to_string(found->key_position.line));
    } else {
      found = other;
    }
  }
  if (found == nullptr) return std::nullopt;
  diagnostics_->give(path_to(key), *found, found->position);
  return Field(*found, path_to(found->key), *diagnostics_, quoting_);
}

bool Section::has(std::string_view key) const {
  return node_ != nullptr && node_->find(key) != nullptr;
}

bool Section::gives(std::string_view key) const {
  const YamlNode* found = node_ == nullptr ? nullptr : node_->find(key);
  if (found == nullptr || found->kind == YamlNode::Kind::kNull) return false;
  return found->kind != YamlNode::Kind::kList || !found->items.empty();
}

void Section::retired_key(std::string_view key, std::string_view value) {
  other_names_.emplace_back(key);
  const YamlNode* found = node_ == nullptr ? nullptr : node_->find(key);
  if (found == nullptr || means_the_same(found->text, value)) return;
  diagnostics_->warn(found->key_position, path_to(key),
                     "is no longer an option: it is always " + std::string(value));
}

void Section::moved_key(std::string_view key, std::string_view other) {
  other_names_.emplace_back(key);
  const YamlNode* found = node_ == nullptr ? nullptr : node_->find(key);
  if (found == nullptr) return;
  diagnostics_->warn(found->key_position, path_to(key),
                     "has no effect here any more; use " + std::string(other));
}

void Section::refuse_key(std::string_view key, std::string_view why) {
  other_names_.emplace_back(key);
  const YamlNode* found = node_ == nullptr ? nullptr : node_->find(key);
  if (found != nullptr) diagnostics_->add(found->key_position, path_to(key), why);
}

Position Section::place_of(std::string_view key) const {
  if (node_ == nullptr) return {};
  const YamlNode* value = node_->find(key);
  return value != nullptr ? value->position : node_->position;
}

void Section::problem(std::string_view key, std::string_view what) const {
  diagnostics_->add(place_of(key), path_to(key), what);
}

void Section::warning(std::string_view key, std::string_view what) const {
  diagnostics_->warn(place_of(key), path_to(key), what);
}

void Section::boolean(std::string_view key, bool& out) {
  const auto found = field(key);
  if (!found) return;
  constexpr std::string_view kAllowed = "true, false, yes, no, on, off";
  const auto text = found->scalar(kAllowed);
  if (!text) return;
  for (const std::string_view yes : {"true", "yes", "on"}) {
    if (equal_ignoring_case(*text, yes)) {
      out = true;
      return;
    }
  }
  for (const std::string_view no : {"false", "no", "off"}) {
    if (equal_ignoring_case(*text, no)) {
      out = false;
      return;
    }
  }
  found->refuse("neither yes nor no", kAllowed);
}

void Section::text(std::string_view key, std::string& out) {
  const auto found = field(key);
  if (!found) return;
  if (const auto text = found->scalar("text, or \"\" for none")) out = *text;
}

void Section::path_or_empty(std::string_view key, std::string& out) {
  const auto found = field(key);
  if (!found) return;
  constexpr std::string_view kAllowed = "an absolute path, or \"\" for none";
  const auto text = found->scalar(kAllowed);
  if (!text) return;
  if (text->empty() || text->front() == '/') {
    out = *text;
  } else {
    found->refuse("not an absolute path", kAllowed);
  }
}

void Section::absolute_path(const std::optional<Field>& found, std::string_view allowed,
                            std::string& out) {
  if (!found) return;
  const auto text = found->scalar(allowed);
  if (!text) return;
  if (text->empty()) {
    found->problem("is empty", allowed);
  } else if (text->front() != '/') {
    found->refuse("not an absolute path", allowed);
  } else {
    out = *text;
  }
}

void Section::real(std::string_view key, double& out, Range<double> range) {
  const auto found = field(key);
  if (!found) return;
  const std::string allowed = format_range(range);
  const auto text = found->scalar(allowed);
  if (!text) return;
  const auto value = parse_real(*text);
  if (!value) {
    found->refuse("not a number", allowed);
  } else if (*value < range.least || *value > range.most) {
    found->refuse("out of range", allowed);
  } else {
    out = *value;
  }
}

void Section::size(std::string_view key, std::uint64_t& out, Range<std::uint64_t> range) {
  const auto found = field(key);
  if (!found) return;
  const auto text = found->scalar(kSizeForm);
  if (!text) return;
  const auto value = parse_size(*text);
  if (!value) {
    found->refuse("not a size", kSizeForm);
  } else if (*value < range.least || *value > range.most) {
    found->refuse("out of range", between(format_size(range.least), format_size(range.most)));
  } else {
    out = *value;
  }
}

void Section::sockets(std::string_view key, std::vector<SocketSpec>& out,
                      std::uint16_t default_port) {
  const auto found = field(key);
  if (!found) return;
  out.clear();
  for (const auto& [item, word] : found->words("HOST:PORT, [IPV6]:PORT, inet:PORT@HOST")) {
    const auto spec = read_socket(item, word, default_port);
    if (!spec) continue;
    if (spec->kind == SocketSpec::Kind::kUnix) {
      item.problem(in_quotes(word) + " is a unix socket, but this service speaks UDP",
                   "HOST:PORT, [IPV6]:PORT, inet:PORT@HOST");
    } else {
      out.push_back(*spec);
    }
  }
}

void Section::networks(std::string_view key, std::vector<Network>& out) {
  const auto found = field(key);
  if (!found) return;
  out.clear();
  constexpr std::string_view kAllowed = "an IP address or a network such as 192.0.2.0/24";
  for (const auto& [item, word] : found->words(kAllowed)) {
    if (const auto network = Network::parse(word)) {
      out.push_back(*network);
    } else {
      item.problem(in_quotes(word) + " is not a network", kAllowed);
    }
  }
}

std::optional<std::uint64_t> Section::whole(std::string_view key, Range<std::uint64_t> range) {
  const auto found = field(key);
  if (!found) return std::nullopt;
  const std::string allowed = between(std::to_string(range.least), std::to_string(range.most));
  const auto text = found->scalar(allowed);
  if (!text) return std::nullopt;
  const auto value = parse_whole<std::uint64_t>(*text, range.least, range.most);
  const bool number = !text->empty() && std::all_of(text->begin(), text->end(), ascii::is_digit);
  if (!value) found->refuse(number ? "out of range" : "not a whole number", allowed);
  return value;
}

std::optional<std::chrono::milliseconds> Section::milliseconds_of(
    std::string_view key, Range<std::chrono::milliseconds> range, std::chrono::milliseconds step,
    std::string_view zero) {
  const auto found = field(key);
  if (!found) return std::nullopt;
  const auto text = found->scalar(kDurationForm);
  if (!text) return std::nullopt;
  const auto value = parse_duration(*text);
  if (!value) {
    found->refuse("not a duration", std::string(kDurationForm) +
                                        (zero.empty() ? "" : ", or 0 (" + std::string(zero) + ")"));
    return std::nullopt;
  }
  if (!zero.empty() && value->count() == 0) return value;
  if (*value < range.least || *value > range.most) {
    const std::string meaning = zero.empty() ? "" : "0 (" + std::string(zero) + ") or ";
    found->refuse("out of range",
                  meaning + between(format_duration(range.least), format_duration(range.most)));
    return std::nullopt;
  }
  if (*value % step != std::chrono::milliseconds(0)) {
    found->refuse("too fine", "multiples of " + format_duration(step));
    return std::nullopt;
  }
  return value;
}

std::optional<std::size_t> Section::index_of_choice(std::string_view key,
                                                    std::span<const std::string_view> names) {
  const auto found = field(key);
  if (!found) return std::nullopt;
  std::string allowed;
  for (const std::string_view name : names) {
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  const auto text = found->scalar(allowed);
  if (!text) return std::nullopt;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (equal_ignoring_case(*text, names[i])) return i;
  }
  found->refuse("not one of the choices", allowed);
  return std::nullopt;
}

}  // namespace shingled::config
