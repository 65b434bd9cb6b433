#include "config/load_settings.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "config/loader.h"
#include "config/overrides.h"
#include "config/sections/sections.h"
#include "config/validate.h"

namespace shingled::config {

namespace {

/// The text of a file, or the system's reason why not. One byte beyond the limit is enough to know
/// that a file is too large.
std::string read_file(const std::string& path, std::string& failure) {
  std::string text;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) {
    failure = std::strerror(errno);
    return text;
  }
  std::array<char, 65536> buffer{};
  while (text.size() <= kYamlBytesMax) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (count == 0) break;
    text.append(buffer.data(), count);
  }
  if (std::ferror(file.get()) != 0) failure = std::strerror(errno);
  return text;
}

}  // namespace

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
    load_storage(section.section("storage"), settings.storage);
    load_status(section.section("status"), settings.status);
    load_rules(section, settings.rules);
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
  std::string failure;
  const std::string text = read_file(path, failure);
  if (!failure.empty()) {
    return {nullptr, {Problem{path, 0, 0, "", "cannot be read: " + failure}}};
  }
  return load_settings(text, path, overrides);
}

}  // namespace shingled::config
