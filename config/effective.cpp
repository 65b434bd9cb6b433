#include "config/effective.h"

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "config/loader.h"
#include "config/overrides.h"
#include "config/reference/key_text.h"
#include "config/reference/shipped_text.h"
#include "config/system/whole_file.h"

namespace shingled::config {

namespace {

constexpr std::string_view kNotShown = "(not shown)";

std::string text_of(double value) {
  std::array<char, 32> buffer{};
  const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return failure == std::errc{} ? std::string(buffer.data(), end) : "?";
}

std::string flow_scalar(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = text;
  return flow_text(node);
}

std::string flow_list(const std::vector<std::string>& words) {
  YamlNode out;
  out.kind = YamlNode::Kind::kList;
  for (const std::string& word : words) {
    YamlNode& item = out.items.emplace_back();
    item.kind = YamlNode::Kind::kScalar;
    item.text = word;
  }
  return flow_text(out);
}

/// Whether a value says that there is none.
bool is_none(std::string_view value) { return value == "\"\"" || value == "[]" || value == "null"; }

/// Goes through the shipped file, which has every key, and finds the value in force for each.
class Lister {
 public:
  Lister(const Settings& settings, Diagnostics& diagnostics)
      : settings_(settings), diagnostics_(diagnostics) {}

  void walk(const YamlNode& shipped, const std::string& path) {
    for (const YamlNode& entry : shipped.items) {
      const std::string key = path.empty() ? entry.key : path + '.' + entry.key;
      if (key == "rules") {
        for (const RuleOptions& rule : settings_.rules) list_rule(entry, rule);
      } else if (key == "policy.rules") {
        for (const PolicyRuleOptions& rule : settings_.policy.rules) list_policy_rule(rule);
      } else if (key == "ratelimit.rates") {
        list_rates(entry, key);
      } else if (entry.kind == YamlNode::Kind::kMap) {
        walk(entry, key);
      } else if (key == "storage.allow_update" && settings_.storage.server.allow_update.empty()) {
        list(key, "[]");  // without it being said where keys have rights
      } else if (key == "milter.headers.remove") {
        list(key, flow_list(settings_.milter.headers.remove));  // follows the names
      } else {
        list(key, flow_text(entry));
      }
    }
  }
  std::vector<EffectiveKey> keys() { return std::move(keys_); }

 private:
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
    if (rule.score) put("score", text_of(*rule.score), false);
    if (rule.action) put("action", std::string(to_string(*rule.action)), false);
    put("reason", flow_scalar(rule.reason), rule.reason.empty());
    put("remedy", flow_scalar(rule.remedy), rule.remedy.empty());
    put("shadow", yes_no(rule.shadow), rule.shadow == defaults.shadow);
    put("enabled", yes_no(rule.enabled), rule.enabled == defaults.enabled);
  }

  /// A given value replaces all the shipped ones.
  void list_rates(const YamlNode& shipped, const std::string& path) {
    std::map<Position, std::string> names;  // in the order of the text
    const std::string prefix = path + '.';
    for (const auto& [key, value] : diagnostics_.given()) {
      if (key.starts_with(prefix) && key.find('.', prefix.size()) == std::string::npos)
        names.emplace(value->key_position, key);
    }
    for (const auto& [position, name] : names) list(name, "off");
    if (!names.empty()) return;
    for (const YamlNode& entry : shipped.items) list(prefix + entry.key, flow_text(entry));
  }

  void list_rule(const YamlNode& shipped, const RuleOptions& rule) {
    const YamlNode& local = shipped.items.front();
    const std::string path = "rules." + rule.name;
    for (const YamlNode& entry : local.items) {
      const std::string key = path + '.' + entry.key;
      if (entry.key == "flags") {
        for (const FlagOptions& flag : rule.flags.all()) list_flag(key + '.' + flag.name, flag);
      } else if (entry.key == "robust") {
        list(key, rule.hash.robust ? "true" : "false");  // depends on servers
      } else {
        list(key, flow_text(entry));
      }
    }
  }

  /// Its defaults depend on its name.
  void list_flag(const std::string& path, const FlagOptions& flag) {
    list(path + ".flag", std::to_string(flag.flag));
    list(path + ".symbol", flag.symbol);
    list(path + ".hits_limit", text_of(flag.hits_limit));
    list(path + ".weight", text_of(flag.weight));
  }

  const Settings& settings_;
  Diagnostics& diagnostics_;
  std::vector<EffectiveKey> keys_;
};

}  // namespace

Effective effective_settings(std::string_view yaml, std::string_view file_name,
                             std::span<const std::string> overrides) {
  Diagnostics diagnostics(file_name);
  const YamlNode root = read_tree(yaml, overrides, diagnostics);
  const Settings settings = load_tree(root, diagnostics);
  Effective out{{}, diagnostics.problems()};
  if (!diagnostics.empty()) return out;
  Diagnostics of_shipped("shingled.yaml");
  const auto shipped = parse_yaml(shipped_file(), {Position::Origin::kFile, 1, 1}, "", of_shipped);
  Lister lister(settings, diagnostics);
  if (shipped) lister.walk(*shipped, "");
  out.keys = lister.keys();
  return out;
}

Effective effective_settings_file(const std::string& path, std::span<const std::string> overrides) {
  const auto text = read_whole_text(path, kYamlBytesMax);
  if (!text) return {{}, {Problem{path, 0, 0, "", "cannot be read: " + text.error().message}}};
  return effective_settings(*text, path, overrides);
}

}  // namespace shingled::config
