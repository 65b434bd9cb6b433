#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/document/section.h"

namespace shingled::config {

// The options of shingled.yaml, one line of a table each: name, member, form of its values, help.
// From the lines the file is read, and the values in force and the options that need a start are
// found; the shipped file and the tags of shingled.yaml(5) are compared with them, and written
// from them (UPDATE_GOLDEN=1 test_config).
//
//     const auto milter = at_reload(&Settings::milter);
//     key("timeout", milter(&MilterOptions::timeout), Time{100ms, 10min}, "for all look-ups, {}")

/// Where a value is inside of settings, and whether only a start takes it.
/// Threads: const: any.
template <typename Root, typename Value>
class Place {
 public:
  Place(std::function<Value&(Root&)> find, bool at_start)
      : find_(std::move(find)), at_start_(at_start) {}

  [[nodiscard]] Value& in(Root& root) const { return find_(root); }
  [[nodiscard]] const Value& in(const Root& root) const {
    return find_(const_cast<Root&>(root));  // NOLINT: only looked at
  }
  [[nodiscard]] bool at_start() const { return at_start_; }
  /// A member of it.
  template <typename Member, typename Owner>
  requires std::derived_from<Value, Owner> Place<Root, Member>
  operator()(Member Owner::*member) const {
    return {[find = find_, member](Root& root) -> Member& { return find(root).*member; },
            at_start_};
  }

 private:
  std::function<Value&(Root&)> find_;
  bool at_start_;
};

/// A member of settings that a reload changes.
template <typename Member, typename Root>
Place<Root, Member> at_reload(Member Root::*member) {
  return {[member](Root& root) -> Member& { return root.*member; }, false};
}
/// A member of settings that only a start takes.
template <typename Member, typename Root>
Place<Root, Member> at_start(Member Root::*member) {
  return {[member](Root& root) -> Member& { return root.*member; }, true};
}

/// The settings themselves, of an entry that a reload changes.
template <typename Root>
Place<Root, Root> at_reload_of() {
  return {[](Root& root) -> Root& { return root; }, false};
}

/// One line: an option, a map of options, or a key that was an option once.
template <typename Root>
struct Key {
  std::string name;            ///< in its map
  std::string type;            ///< the manual's word for its values; empty = a map
  std::string range;           ///< "100ms to 10m", or empty
  std::string help;            ///< the comment in the shipped file; "{}" stands for the range
  std::string none = "none";   ///< what the manual calls an empty default
  std::string always = {};     ///< of a key that was an option once: its value
  bool required = false;       ///< in the entry of a list
  bool at_start = false;       ///< only a start takes it. Of a map: all of it, as one option
  std::vector<Key> keys = {};  ///< of a map
  std::function<void(Section&, Root&)> read;      ///< of a map: its keys, and checks of them
  std::function<std::string(const Root&)> write;  ///< YAML on one line; null: a map, or no option
  std::function<bool(const Root&, const Root&)> same;
};

template <typename Root>
using Keys = std::vector<Key<Root>>;

/// An option. `form`: what its values look like; see forms.h.
template <typename Root, typename Value, typename Form>
Key<Root> key(std::string_view name, const Place<Root, Value>& place, const Form& form,
              std::string_view help = {}) {
  Key<Root> out;
  out.name = name;
  out.type = form.type();
  out.range = form.range();
  out.help = help;
  out.none = form.none();
  out.at_start = place.at_start();
  out.read = [name = out.name, place, form](Section& section, Root& root) {
    form.read(section, name, place.in(root));
  };
  out.write = [place, form](const Root& root) { return form.write(place.in(root)); };
  out.same = [place](const Root& a, const Root& b) { return place.in(a) == place.in(b); };
  return out;
}

/// The same key, which an entry of a list must have.
template <typename Root>
Key<Root> required(Key<Root> key) {
  key.required = true;
  return key;
}

/// A key that earlier versions had, and that always has the value of the settings' initialiser now:
/// a warning if it is set to another one.
template <typename Root, typename Value, typename Written>
Key<Root> constant(std::string_view name, const Place<Root, Value>& place,
                   std::string (*write)(Written)) {
  Key<Root> out;
  out.name = name;
  const Root defaults;
  out.always = write(place.in(defaults));
  out.read = [name = out.name, value = out.always](Section& section, Root& /*root*/) {
    section.retired_key(name, value);
  };
  return out;
}

/// Reads all keys in the order of the table.
template <typename Root>
void read_keys(Section& section, const Keys<Root>& keys, Root& out) {
  for (const Key<Root>& key : keys) key.read(section, out);
}

/// A map. `check` is called when its keys have been read.
template <typename Root>
Key<Root> map(std::string_view name, Keys<Root> keys,
              std::function<void(Section&, Root&)> check = {}, std::string_view help = {}) {
  Key<Root> out;
  out.name = name;
  out.help = help;
  out.read = [name = out.name, keys, check](Section& section, Root& root) {
    Section inner = section.section(name);
    read_keys(inner, keys, root);
    if (check) check(inner, root);
  };
  out.same = [keys](const Root& a, const Root& b) {
    for (const Key<Root>& one : keys)
      if (one.same && !one.same(a, b)) return false;
    return true;
  };
  out.keys = std::move(keys);
  return out;
}

/// A map that counts as one option, which only a start takes.
template <typename Root>
Key<Root> start_map(std::string_view name, Keys<Root> keys,
                    std::function<void(Section&, Root&)> check = {}) {
  Key<Root> out = map(name, std::move(keys), std::move(check));
  out.at_start = true;
  return out;
}

/// The comment of the shipped file.
template <typename Root>
std::string comment_of(const Key<Root>& key) {
  std::string out = key.help;
  const std::size_t at = out.find("{}");
  return at == std::string::npos ? out : out.replace(at, 2, key.range);
}

/// Several tables as one.
template <typename Root>
Keys<Root> joined(std::initializer_list<Keys<Root>> tables) {
  Keys<Root> out;
  for (const Keys<Root>& table : tables) out.insert(out.end(), table.begin(), table.end());
  return out;
}

}  // namespace shingled::config
