#include "config/effective.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "config/base/number_text.h"
#include "config/document/yaml_document.h"
#include "config/keys/forms.h"
#include "config/loader.h"
#include "config/reference/key_text.h"
#include "config/sections/settings_keys.h"
#include "config/system/whole_file.h"

namespace shingled::config {

namespace {

constexpr std::string_view kNotShown = "(not shown)";

/// The types of buckets that the shipped file names; all are off.
constexpr std::array<std::string_view, 6> kShippedRates = {
    "to", "to_ip", "to_ip_from", "bounce_to", "bounce_to_ip", "user"};

/// Whether a value says that there is none.
bool is_none(std::string_view value) { return value == "\"\"" || value == "[]" || value == "null"; }

/// Goes through the table of all keys, and finds the value in force for each.
class Lister {
 public:
  Lister(const Settings& settings, Diagnostics& diagnostics)
      : settings_(settings), diagnostics_(diagnostics) {}

  void list_all() { list_keys(settings_keys(), settings_, ""); }
  std::vector<EffectiveKey> keys() { return std::move(keys_); }

 private:
  template <typename Root>
  void list_keys(const Keys<Root>& keys, const Root& root, const std::string& path) {
    for (const Key<Root>& one : keys) {
      const std::string key = within(path, one->name);
      if (list_entries(key)) continue;
      if (const auto value = one->value(root)) {
        list(key, *value);
      } else {
        list_keys(one->keys(), root, key);
      }
    }
  }

  /// The keys of maps whose keys are names; false for another key.
  bool list_entries(const std::string& key) {
    if (key == "rules") {
      for (const RuleOptions& rule : settings_.rules) list_rule(rule);
    } else if (key == "policy.rules") {
      for (const PolicyRuleOptions& rule : settings_.policy.rules) list_policy_rule(rule);
    } else if (key == "ratelimit.rates") {
      list_rates(key);
    } else {
      return false;
    }
    return true;
  }

  /// `otherwise`: its value if it is not given.
  void list(const std::string& key, const std::string& otherwise) {
    const auto stand_in = diagnostics_.stand_ins().find(key);
    const std::string& said = stand_in == diagnostics_.stand_ins().end() ? key : stand_in->second;
    const auto given = diagnostics_.given().find(said);
    EffectiveKey out;
    out.key = said;
    out.value = given == diagnostics_.given().end() ? otherwise : flow_text(*given->second);
    out.source = diagnostics_.places().source(said);
    const KeyText* const text = find_key(said);
    out.is_secret = (text == nullptr || text->is_secret()) && !is_none(out.value);
    if (out.is_secret) out.value = kNotShown;
    keys_.push_back(std::move(out));
  }

  /// Keys may come from several files. Those that have their default and were not given are left
  /// out.
  void list_policy_rule(const PolicyRuleOptions& rule) {
    const std::string path = "policy.rules." + rule.name + '.';
    const PolicyRuleOptions defaults;
    const auto put = [&](const std::string& name, const std::string& value, bool is_default) {
      std::string source = diagnostics_.places().source(path + name);
      const bool elsewhere = source == "default";
      if (elsewhere && is_default) return;
      if (elsewhere) source = rule.place.file + ':' + std::to_string(rule.place.line);
      keys_.push_back({path + name, value, source});
    };
    const auto yes_no = [](bool value) { return std::string(value ? "true" : "false"); };
    put("if", flow_scalar(rule.condition), false);
    if (rule.score) put("score", shortest_text(*rule.score), false);
    if (rule.action) put("action", std::string(to_string(*rule.action)), false);
    put("reason", flow_scalar(rule.reason), rule.reason.empty());
    put("remedy", flow_scalar(rule.remedy), rule.remedy.empty());
    put("shadow", yes_no(rule.shadow), rule.shadow == defaults.shadow);
    put("enabled", yes_no(rule.enabled), rule.enabled == defaults.enabled);
  }

  /// A given value replaces all the shipped ones.
  void list_rates(const std::string& path) {
    std::map<Position, std::string> names;  // in the order of the text
    const std::string prefix = path + '.';
    for (const auto& [key, value] : diagnostics_.given()) {
      if (key.starts_with(prefix) && key.find('.', prefix.size()) == std::string::npos)
        names.emplace(value->key_position, key);
    }
    for (const auto& [position, name] : names) list(name, "off");
    if (!names.empty()) return;
    for (const std::string_view type : kShippedRates) list(prefix + std::string(type), "off");
  }

  void list_rule(const RuleOptions& rule) {
    const std::string path = "rules." + rule.name;
    for (const Key<RuleOptions>& one : rule_keys()) {
      const std::string key = within(path, one->name);
      if (one->name == "flags") {
        for (const FlagOptions& flag : rule.flags.all())
          list_keys(flag_keys(), flag, key + '.' + flag.name);
      } else if (const auto value = one->value(rule)) {
        list(key, *value);
      }
    }
  }

  const Settings& settings_;
  Diagnostics& diagnostics_;
  std::vector<EffectiveKey> keys_;
};

/// `rest`: of the key, in the map of these.
template <typename Root>
std::string constant_among(const Keys<Root>& keys, std::string_view rest) {
  const std::string_view name = rest.substr(0, rest.find('.'));
  for (const Key<Root>& one : keys) {
    if (one->name != name) continue;
    if (name == rest) return one->always();
    return constant_among(one->keys(), rest.substr(name.size() + 1));
  }
  return "";
}

}  // namespace

std::string constant_value(std::string_view key) {
  constexpr std::string_view kRules = "rules.";
  const std::size_t name_end = key.starts_with(kRules) ? key.find('.', kRules.size()) : key.npos;
  return name_end == key.npos ? constant_among(settings_keys(), key)
                              : constant_among(rule_keys(), key.substr(name_end + 1));
}

Effective effective_settings(std::string_view yaml, std::string_view file_name,
                             std::span<const std::string> overrides) {
  Diagnostics diagnostics(file_name);
  const YamlNode root = read_tree(yaml, overrides, diagnostics);
  const Settings settings = load_tree(root, diagnostics);
  Effective out{{}, diagnostics.problems()};
  if (!diagnostics.empty()) return out;
  Lister lister(settings, diagnostics);
  lister.list_all();
  out.keys = lister.keys();
  return out;
}

Effective effective_settings_file(const std::string& path, std::span<const std::string> overrides) {
  const auto text = read_whole_text(path, kYamlBytesMax);
  if (!text) return {{}, {Problem{path, 0, 0, "", "cannot be read: " + text.error().message}}};
  return effective_settings(*text, path, overrides);
}

}  // namespace shingled::config
