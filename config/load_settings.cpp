#include "config/load_settings.h"

#include <memory>

#include "config/loader.h"
#include "config/overrides.h"
#include "config/promotions/judgement_file.h"
#include "config/promotions/promoted_rules.h"
#include "config/sections/sections.h"
#include "config/sections/settings_keys.h"
#include "config/system/whole_file.h"

namespace shingled::config {

YamlNode read_tree(std::string_view yaml, std::span<const std::string> overrides,
                   Diagnostics& diagnostics) {
  YamlNode root =
      parse_yaml(yaml, {Position::Origin::kFile, 1, 1}, "", diagnostics).value_or(YamlNode{});
  apply_overrides(overrides, root, diagnostics);
  return root;
}

Settings load_tree(const YamlNode& root, Diagnostics& diagnostics) {
  Settings settings;
  {
    Section section(&root, "", diagnostics);
    refuse_foreign_keys(section, ForeignTo::kFile);
    read_keys(section, settings_keys(), settings);
  }
  fit_scales(settings, diagnostics);
  validate(settings, root, diagnostics);
  return settings;
}

Settings load(std::string_view yaml, std::span<const std::string> overrides,
              Diagnostics& diagnostics) {
  const YamlNode root = read_tree(yaml, overrides, diagnostics);
  return load_tree(root, diagnostics);
}

Loaded load_settings(std::string_view yaml, std::string_view file_name,
                     std::span<const std::string> overrides) {
  Diagnostics diagnostics(file_name);
  const auto read = std::make_shared<Settings>(load(yaml, overrides, diagnostics));
  Loaded out{nullptr, diagnostics.problems(), diagnostics.places(), read};
  if (!diagnostics.empty()) return out;
  if (const Status decided = use_promotions(*read); !decided) {
    out.problems.push_back(
        {decided.error().message.starts_with(decision_file(read->history))
             ? decision_file(read->history)
             : judgement_file(read->history),
         0, 0, "policy.promote",
         "no rule is out of shadow by its figures or a decision: " + decided.error().message,
         Problem::Severity::kWarning});
  }
  out.settings = read;
  return out;
}

Loaded load_settings_file(const std::string& path, std::span<const std::string> overrides) {
  const auto text = read_whole_text(path, kYamlBytesMax);
  if (!text) {
    return {nullptr, {Problem{path, 0, 0, "", "cannot be read: " + text.error().message}}};
  }
  return load_settings(*text, path, overrides);
}

}  // namespace shingled::config
