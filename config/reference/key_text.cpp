#include "config/reference/key_text.h"

#include <algorithm>
#include <set>

#include "config/reference/manual_text.h"
#include "config/reference/page_text.h"
#include "config/words/nearest_word.h"

namespace shingled::config {

namespace {

constexpr std::string_view kSecret = "secret";

/// The key of a tag such as `.BR timeout " (duration, default 5s)"`; nullopt for other lines.
std::optional<KeyText> parse_tag(const PageLine& line, const std::string& section) {
  if ((line.macro != "BR" && line.macro != "B") || line.arguments.empty()) return std::nullopt;
  const std::string& key = line.arguments.front();
  const bool is_name =
      key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos ||
      key.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
  if (!is_name) return std::nullopt;
  KeyText out;
  out.name = section + '.' + key;
  if (line.arguments.size() < 2) return out;
  std::string_view rest = line.arguments[1];
  const std::size_t open = rest.find('(');
  if (open == std::string_view::npos || !rest.ends_with(')')) return out;
  rest = rest.substr(open + 1, rest.size() - open - 2);
  constexpr std::string_view kRestart = ", restart";
  constexpr std::string_view kRequired = ", required";
  constexpr std::string_view kDefault = ", default ";
  if (rest.ends_with(kRestart)) {
    out.needs_restart = true;
    rest.remove_suffix(kRestart.size());
  }
  if (rest.ends_with(kRequired)) {
    out.required = true;
    rest.remove_suffix(kRequired.size());
  }
  const std::size_t at = rest.find(kDefault);
  if (at != std::string_view::npos) out.default_value = rest.substr(at + kDefault.size());
  out.type = rest.substr(0, at);
  return out;
}

/// Reads the page line by line: sections, tags, and the text that belongs to the tags above it.
class PageReader {
 public:
  void take(const PageLine& line) {
    const bool tag = tag_follows_;
    tag_follows_ = line.macro == "TP" || line.macro == "TQ";
    if (line.macro == "SS" || line.macro == "SH") {
      section_ = line.macro == "SS" ? line.shown() : "";
      first_ = keys_.size();
    } else if (line.macro == "TP" || line.macro == "PP") {
      first_ = keys_.size();
    } else if (auto key = tag && !section_.empty() ? parse_tag(line, section_) : std::nullopt) {
      keys_.push_back(*std::move(key));
    } else if (!tag_follows_) {
      add_text(line);
    }
  }
  std::vector<KeyText> keys() { return std::move(keys_); }

 private:
  void add_text(const PageLine& line) {
    const std::string text = line.shown() + (line.macro == "IP" ? ":" : "");
    for (std::size_t i = first_; i < keys_.size(); ++i) {
      std::string& meaning = keys_[i].meaning;
      if (!meaning.empty() && !text.empty()) meaning += ' ';
      meaning += text;
    }
  }

  std::vector<KeyText> keys_;
  std::string section_;
  std::size_t first_ = 0;  // of the keys that the text belongs to
  bool tag_follows_ = false;
};

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool is_step_of(std::string_view name, std::string_view key) {
  return name == key || (name.ends_with(key) && name[name.size() - key.size() - 1] == '.') ||
         (name.starts_with(key) && name[key.size()] == '.');
}

}  // namespace

bool KeyText::is_secret() const { return type == kSecret || type.starts_with("key pair"); }

const std::vector<KeyText>& key_texts() {
  static const std::vector<KeyText> keys = [] {
    PageReader reader;
    for (std::string_view page = manual_page(); !page.empty();)
      reader.take(PageLine::parse(take_line(page)));
    return reader.keys();
  }();
  return keys;
}

std::string page_name(std::string_view key) {
  std::vector<std::string> steps;
  while (!key.empty()) {
    const std::string_view step = key.substr(0, key.find('.'));
    key.remove_prefix(std::min(step.size() + 1, key.size()));
    steps.emplace_back(step.substr(0, step.find('[')));
  }
  if (steps.size() > 2 && steps[0] == "rules") steps[1] = "NAME";
  if (steps.size() > 4 && steps[0] == "rules" && steps[2] == "flags") steps[3] = "LIST";
  if (steps.size() > 2 && steps[0] == "storage" && steps[1] == "sync_keypair") steps[1] = "keypair";
  if (steps.size() > 2 && steps[0] == "ratelimit" && steps[1] == "rates") steps[2] = "TYPE";
  if (steps.size() > 3 && steps[0] == "policy" && steps[1] == "rules") steps[2] = "NAME";
  std::string out;
  for (const std::string& step : steps) out += (out.empty() ? "" : ".") + step;
  return out;
}

const KeyText* find_key(std::string_view key) {
  const std::string name = page_name(key);
  const auto& all = key_texts();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const KeyText& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::string> home_of(std::string_view step) {
  std::set<std::string> paths;
  for (const KeyText& one : key_texts()) {
    for (std::string_view path = one.name;; path = path.substr(0, path.rfind('.'))) {
      paths.emplace(path);
      if (path.find('.') == std::string_view::npos) break;
    }
  }
  std::vector<std::string> steps;
  steps.reserve(paths.size());
  for (const std::string& path : paths) steps.push_back(path.substr(path.rfind('.') + 1));
  const auto meant = nearest_word(step, steps);
  std::optional<std::string> out;
  for (const std::string& path : paths) {
    if (!meant || path.substr(path.rfind('.') + 1) != *meant) continue;
    if (out) return std::nullopt;
    out = path;
  }
  return out;
}

std::vector<std::string> meant_keys(std::string_view key, std::size_t most) {
  std::vector<std::string> out;
  std::vector<std::string> names;
  std::vector<std::string> last_steps;
  if (key.empty()) return out;
  const std::string wanted = page_name(key);
  for (const KeyText& one : key_texts()) {
    names.push_back(one.name);
    last_steps.push_back(one.name.substr(one.name.rfind('.') + 1));
    if (is_step_of(one.name, wanted) && out.size() < most) out.push_back(one.name);
  }
  if (!out.empty()) return out;
  if (auto name = nearest_word(wanted, names)) return {*std::move(name)};
  const auto step = nearest_word(wanted.substr(wanted.rfind('.') + 1), last_steps);
  if (!step) return out;
  for (std::size_t i = 0; i < names.size() && out.size() < most; ++i) {
    if (last_steps[i] == *step) out.push_back(names[i]);
  }
  return out;
}

}  // namespace shingled::config
