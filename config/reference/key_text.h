#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::config {

/// What shingled.yaml(5) says of one key.
struct KeyText {
  std::string name;  ///< "milter.timeout", "rules.NAME.flags.LIST.weight"; capitals are yours
  std::string type;  ///< "duration"; empty: that of the key it stands for
  std::string default_value;  ///< "5s"; empty: it has none
  bool required = false;
  bool needs_restart = false;  ///< a reload does not change it
  std::string meaning;         ///< with its range, one line

  /// Whether no command shows its value.
  [[nodiscard]] bool is_secret() const;
};

/// All keys, in the order of the page. Made once.
/// Threads: any thread.
const std::vector<KeyText>& key_texts();

/// "rules.feed.flags.denied.weight" as the page names it: "rules.NAME.flags.LIST.weight"; an entry
/// of a list without its number.
std::string page_name(std::string_view key);

/// What the page says of a key, by either name; null: there is no such key.
const KeyText* find_key(std::string_view key);

/// The key or section elsewhere that someone may have meant who wrote `step`, the last part of its
/// name: "milter.actions.add_header" for "add_header". Nothing where there are several, or none.
std::optional<std::string> home_of(std::string_view step);

/// What someone may have meant who wrote `key`: all keys that end in it, all that are in a section
/// of that name, or else the nearest ones; at most `most`, none where nothing is near.
std::vector<std::string> meant_keys(std::string_view key, std::size_t most);

}  // namespace shingled::config
