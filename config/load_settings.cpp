#include "config/load_settings.h"

#include <memory>

#include "config/base/whole_file.h"
#include "config/loader.h"
#include "config/overrides.h"
#include "config/sections/sections.h"
#include "config/validate.h"

namespace shingled::config {

Settings load(std::string_view yaml, std::span<const std::string> overrides,
              Diagnostics& diagnostics) {
  YamlNode root =
      parse_yaml(yaml, {Position::Origin::kFile, 1, 1}, "", diagnostics).value_or(YamlNode{});
  apply_overrides(overrides, root, diagnostics);
  Settings settings;
  {
    Section section(&root, "", diagnostics);
    load_daemon(section.section("daemon"), settings.daemon);
    load_milter(section.section("milter"), settings.milter);
    load_mime(section.section("mime"), settings.mime);
    load_ratelimit(section.section("ratelimit"), settings.ratelimit);
    load_similar(section.section("similar"), settings.similar);
    load_storage(section.section("storage"), settings.storage);
    load_status(section.section("status"), settings.status);
    load_rules(section, settings.storage.enabled, settings.rules);
  }
  validate(settings, root, diagnostics);
  return settings;
}

Loaded load_settings(std::string_view yaml, std::string_view file_name,
                     std::span<const std::string> overrides) {
  Diagnostics diagnostics(file_name);
  Settings settings = load(yaml, overrides, diagnostics);
  if (!diagnostics.empty()) return {nullptr, diagnostics.problems()};
  return {std::make_shared<const Settings>(std::move(settings)), {}};
}

Loaded load_settings_file(const std::string& path, std::span<const std::string> overrides) {
  const auto text = read_whole_text(path, kYamlBytesMax);
  if (!text) {
    return {nullptr, {Problem{path, 0, 0, "", "cannot be read: " + text.error().message}}};
  }
  return load_settings(*text, path, overrides);
}

}  // namespace shingled::config
