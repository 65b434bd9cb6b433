#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
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

template <typename Root>
class KeyLine;
/// A line of the table, made once: its copies are the same line.
template <typename Root>
using Key = std::shared_ptr<const KeyLine<Root>>;
template <typename Root>
using Keys = std::vector<Key<Root>>;

/// One line: an option, a map of options, or a key that was an option once.
/// Threads: const: any.
template <typename Root>
class KeyLine {
 public:
  virtual ~KeyLine() = default;
  KeyLine(const KeyLine&) = delete;
  KeyLine& operator=(const KeyLine&) = delete;
  KeyLine(KeyLine&&) = delete;
  KeyLine& operator=(KeyLine&&) = delete;

  const std::string_view name;  ///< in its map
  const std::string_view help;  ///< the comment in the shipped file; "{}" stands for the range
  const bool at_start;          ///< only a start takes it. Of a map: all of it, as one option

  /// Reads it from its map; of a map its keys, and checks them.
  virtual void read(Section& section, Root& out) const = 0;
  /// Whether both have the same value.
  [[nodiscard]] virtual bool same(const Root& /*a*/, const Root& /*b*/) const { return true; }
  /// Of an option: YAML on one line.
  [[nodiscard]] virtual std::optional<std::string> value(const Root& /*root*/) const {
    return std::nullopt;
  }
  /// Of a map.
  [[nodiscard]] virtual const Keys<Root>& keys() const {
    static const Keys<Root> none;
    return none;
  }
  /// Of a key that was an option once: its value.
  [[nodiscard]] virtual std::string always() const { return ""; }

  // Of an option, for the documents.
  [[nodiscard]] virtual std::string type() const { return ""; }   ///< of its values: "duration"
  [[nodiscard]] virtual std::string range() const { return ""; }  ///< "100ms to 10m", or empty
  [[nodiscard]] virtual std::string none() const { return ""; }   ///< what an empty default is
  [[nodiscard]] virtual bool required() const { return false; }   ///< in the entry of a list

 protected:
  /// The texts live as long as the program.
  KeyLine(std::string_view key, std::string_view text, bool only_start)
      : name(key), help(text), at_start(only_start) {}
};

/// An option. `form`: what its values look like; see forms.h.
template <typename Root, typename Value, typename Form>
class OptionLine final : public KeyLine<Root> {
 public:
  OptionLine(std::string_view key, Place<Root, Value> place, Form form, std::string_view help,
             bool required)
      : KeyLine<Root>(key, help, place.at_start()),
        place_(std::move(place)),
        form_(std::move(form)),
        required_(required) {}

  void read(Section& section, Root& out) const override {
    form_.read(section, this->name, place_.in(out));
  }
  [[nodiscard]] bool same(const Root& a, const Root& b) const override {
    return place_.in(a) == place_.in(b);
  }
  [[nodiscard]] std::optional<std::string> value(const Root& root) const override {
    return form_.write(place_.in(root));
  }
  [[nodiscard]] std::string type() const override { return form_.type(); }
  [[nodiscard]] std::string range() const override { return form_.range(); }
  [[nodiscard]] std::string none() const override { return form_.none(); }
  [[nodiscard]] bool required() const override { return required_; }

 private:
  const Place<Root, Value> place_;
  const Form form_;
  const bool required_;
};

template <typename Root, typename Value, typename Form>
Key<Root> key(std::string_view name, const Place<Root, Value>& place, const Form& form,
              std::string_view help = {}) {
  return std::make_shared<const OptionLine<Root, Value, Form>>(name, place, form, help, false);
}

/// The same, which an entry of a list must have.
template <typename Root, typename Value, typename Form>
Key<Root> required_key(std::string_view name, const Place<Root, Value>& place, const Form& form) {
  return std::make_shared<const OptionLine<Root, Value, Form>>(name, place, form, "", true);
}

/// A key that earlier versions had, and that always has the value of the settings' initialiser now:
/// a warning if it is set to another one.
template <typename Root, typename Value, typename Written>
class ConstantLine final : public KeyLine<Root> {
 public:
  using Write = std::string (*)(Written);
  ConstantLine(std::string_view key, Place<Root, Value> place, Write write)
      : KeyLine<Root>(key, "", false), place_(std::move(place)), write_(write) {}

  void read(Section& section, Root& /*out*/) const override {
    if (section.has(this->name)) section.retired_key(this->name, always());
  }
  [[nodiscard]] std::string always() const override {
    const Root defaults;
    return write_(place_.in(defaults));
  }

 private:
  const Place<Root, Value> place_;
  const Write write_;
};

template <typename Root, typename Value, typename Written>
Key<Root> constant(std::string_view name, const Place<Root, Value>& place,
                   std::string (*write)(Written)) {
  return std::make_shared<const ConstantLine<Root, Value, Written>>(name, place, write);
}

/// Reads all keys in the order of the table.
template <typename Root>
void read_keys(Section& section, const Keys<Root>& keys, Root& out) {
  for (const Key<Root>& key : keys) key->read(section, out);
}

/// A map. `check` is called when its keys have been read.
template <typename Root>
class MapLine final : public KeyLine<Root> {
 public:
  using Check = std::function<void(Section&, Root&)>;
  MapLine(std::string_view key, Keys<Root> keys, Check check, std::string_view help, bool at_start)
      : KeyLine<Root>(key, help, at_start), keys_(std::move(keys)), check_(std::move(check)) {}

  void read(Section& section, Root& out) const override {
    Section inner = section.section(this->name);
    read_keys(inner, keys_, out);
    if (check_) check_(inner, out);
  }
  [[nodiscard]] bool same(const Root& a, const Root& b) const override {
    return std::all_of(keys_.begin(), keys_.end(),
                       [&](const Key<Root>& key) { return key->same(a, b); });
  }
  [[nodiscard]] const Keys<Root>& keys() const override { return keys_; }

 private:
  const Keys<Root> keys_;
  const Check check_;
};

template <typename Root>
Key<Root> map(std::string_view name, Keys<Root> keys,
              std::function<void(Section&, Root&)> check = {}, std::string_view help = {}) {
  return std::make_shared<const MapLine<Root>>(name, std::move(keys), std::move(check), help,
                                               false);
}

/// A map that counts as one option, which only a start takes.
template <typename Root>
Key<Root> start_map(std::string_view name, Keys<Root> keys,
                    std::function<void(Section&, Root&)> check = {}) {
  return std::make_shared<const MapLine<Root>>(name, std::move(keys), std::move(check), "", true);
}

/// The name of a key with those of the maps around it.
inline std::string within(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + '.' + std::string(name);
}

/// The comment of the shipped file.
template <typename Root>
std::string comment_of(const Key<Root>& key) {
  std::string out(key->help);
  const std::size_t at = out.find("{}");
  return at == std::string::npos ? out : out.replace(at, 2, key->range());
}

/// Several tables as one.
template <typename Root>
Keys<Root> joined(std::initializer_list<Keys<Root>> tables) {
  Keys<Root> out;
  for (const Keys<Root>& table : tables) out.insert(out.end(), table.begin(), table.end());
  return out;
}

}  // namespace shingled::config
