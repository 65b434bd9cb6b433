#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::config {

/// What shingled.yaml(5) says about one key.
struct KeyText {
  std::string name;  ///< "milter.timeout", "rules.NAME.flags.LIST.weight"; capitals stand for names
                     ///< of the user
  std::string type;  ///< "duration"; empty = that of the key it is another name of
  std::string default_value;  ///< "5s"; empty = no default
  bool required = false;
  bool needs_restart = false;  ///< a reload cannot apply it
  std::string meaning;         ///< with its range, one line

  /// Whether commands must not show its value.
  [[nodiscard]] bool is_secret() const;
};

/// All keys, in the order of the page. Made once.
/// Threads: any thread.
const std::vector<KeyText>& key_texts();

/// The name that the page has for a key: "rules.NAME.flags.LIST.weight" for
/// "rules.feed.flags.denied.weight". The number of a list entry is left out.
std::string page_name(std::string_view key);

/// What the page says about a key, by either name; null if there is no such key.
const KeyText* find_key(std::string_view key);

/// The key or section of another place whose name ends in `step`: "milter.actions.add_header" for
/// "add_header". nullopt if there are several or none.
std::optional<std::string> home_of(std::string_view step);

/// The keys that may have been meant by `key`: all that end in it, all in a section of that name,
/// or else those with the nearest names. At most `most`.
std::vector<std::string> meant_keys(std::string_view key, std::size_t most);

}  // namespace shingled::config
