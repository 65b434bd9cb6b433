#include <algorithm>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<HashAlgorithm>, 6> kAlgorithms = {
    {{"mumhash", HashAlgorithm::kMumhash},
     {"siphash", HashAlgorithm::kSiphash},
     {"old", HashAlgorithm::kSiphash},
     {"xxhash", HashAlgorithm::kXxhash},
     {"fasthash", HashAlgorithm::kFasthash},
     {"fast", HashAlgorithm::kFasthash}}};
constexpr double kAny = std::numeric_limits<double>::max();
constexpr double kWeightMost = 1e9;  // no sum of scores reaches infinity
constexpr std::string_view kNameForm = "a letter, then up to 63 letters, digits, '_' or '-'";

/// Names are used in logs, in header values and in -o keys.
bool is_name(std::string_view text) {
  constexpr std::size_t kNameBytesMax = 64;
  return ascii::is_word(text, kNameBytesMax, "_-") && ascii::is_alpha(text.front());
}

/// Checks the key of an entry of `rules` or `flags`.
bool check_name(const Field& entry) {
  const YamlNode& node = entry.node();
  if (is_name(node.key)) return true;
  entry.diagnostics().add(
      node.key_position, entry.key(),
      in_quotes(node.key) + " is not a valid name; allowed: " + std::string(kNameForm));
  return false;
}

std::string symbol_of(std::string_view flag_name) {
  std::string out = "FUZZY_";
  for (const char c : flag_name) {
    out += c == '-' ? '_' : ascii::to_upper(c);
  }
  return out;
}

/// The defaults of a name: those of a standard flag, or a flag without a number.
FlagOptions flag_defaults(const std::string& name) {
  const FlagMap standard = FlagMap::standard();
  for (const FlagOptions& flag : standard.all()) {
    if (flag.name == name) return flag;
  }
  FlagOptions out;
  out.name = name;
  out.symbol = symbol_of(name);
  return out;
}

FlagOptions load_flag(const Field& entry) {
  Section section(&entry.node(), entry.key(), entry.diagnostics());
  FlagOptions out = flag_defaults(entry.node().key);
  section.number<std::uint32_t>("flag", out.flag, {1, 255});
  load_symbol(section, out.symbol);
  refuse_foreign_keys(section, ForeignTo::kFlag);
  section.real("hits_limit", out.hits_limit, {1, kAny});
  section.real("weight", out.weight, {-kWeightMost, kWeightMost});
  return out;
}

void load_flags(Section&& section, FlagMap& out) {
  const auto entries = section.entries();
  if (entries.empty()) return;
  std::vector<FlagOptions> flags;
  for (const Field& entry : entries) {
    if (!check_name(entry)) continue;
    FlagOptions flag = load_flag(entry);
    const Position& here = entry.node().key_position;
    if (flag.flag == 0) {
      const bool given = entry.node().find("flag") != nullptr;  // and is wrong
      if (!given)
        section.diagnostics().add(here, entry.key(), "has no flag; allowed: flag: 1 to 255");
      continue;
    }
    for (const FlagOptions& other : flags) {
      if (other.flag == flag.flag) {
        section.diagnostics().add(here, entry.key(),
                                  "flag " + std::to_string(flag.flag) + " is also that of '" +
                                      other.name + "'; allowed: each number once in a rule");
      }
      if (equal_ignoring_case(other.name, flag.name)) {
        section.diagnostics().add(here, entry.key(),
                                  "the name is also given as '" + other.name +
                                      "'; allowed: each name once, in any case of letters");
      }
    }
    flags.push_back(std::move(flag));
  }
  out = FlagMap(std::move(flags));
}

// What a rule hashes, in the groups that rspamd 4 also knows.

void load_text_check(Section& section, HashOptions& out) {
  section.number<std::uint32_t>("min_length", out.min_length, {32, 1'000'000});
  section.real("text_multiplier", out.text_multiplier, {0.01, 1000});
  section.boolean("text_shingles", out.text_shingles);
  section.boolean("short_text_direct_hash", out.short_text_direct_hash);
  section.boolean("no_subject", out.no_subject);
}

void load_html_check(Section& section, HashOptions& out) {
  section.number<std::uint32_t>("min_html_tags", out.min_html_tags, {1, 1'000'000});
  section.boolean("ignore_link_domains", out.ignore_link_domains);
}

void load_image_check(Section& section, HashOptions& out) {
  section.number<std::uint32_t>("min_width", out.min_width, {0, 100'000});
  section.number<std::uint32_t>("min_height", out.min_height, {0, 100'000});
}

/// One group of `checks`, and the switch of the rule that `enabled` in it means.
struct CheckGroup {
  std::string_view name;
  std::string_view rule_switch;
};

/// A setting must not be given both in the rule and in `checks`. The settings in `checks` mean
/// those of the rule.
void note_twins(const YamlNode& rule, const CheckGroup& group, const Section& section) {
  const YamlNode* checks = rule.find("checks");
  const YamlNode* entries = checks == nullptr ? nullptr : checks->find(group.name);
  if (entries == nullptr) return;
  const std::string rule_path = section.path().substr(0, section.path().find(".checks."));
  for (const YamlNode& entry : entries->items) {
    const std::string_view twin =
        entry.key == "enabled" ? group.rule_switch : std::string_view(entry.key);
    section.diagnostics().stand_in(rule_path + '.' + std::string(twin),
                                   section.path() + '.' + entry.key);
    const YamlNode* other = rule.find(twin);
    if (other == nullptr) continue;
    section.diagnostics().add(entry.key_position, section.path() + "." + entry.key,
                              "another name of " + in_quotes(other->key) +
                                  ", which is given in line " +
                                  std::to_string(other->key_position.line));
  }
}

void load_checks(Section& checks, const YamlNode& rule, HashOptions& out) {
  const auto load = [&](const CheckGroup& group, bool& enabled, auto load_rest) {
    Section section = checks.section(group.name);
    note_twins(rule, group, section);
    section.boolean("enabled", enabled);
    load_rest(section, out);
  };
  load({"text", "text_hashes"}, out.text_hashes, load_text_check);
  load({"html", "html_shingles"}, out.html_shingles, load_html_check);
  bool images = !out.skip_images;
  load({"image", "skip_images"}, images, load_image_check);
  out.skip_images = !images;
  load({"archive", "scan_archives"}, out.scan_archives, [](Section&, HashOptions&) {});
}

void load_hash(Section& section, const YamlNode& rule, HashOptions& out) {
  section.choice<HashAlgorithm>("algorithm", out.algorithm, kAlgorithms);
  section.text("fuzzy_key", out.fuzzy_key);
  section.text("fuzzy_shingles_key", out.fuzzy_shingles_key);
  section.size("min_bytes", out.min_bytes, {0, std::uint64_t{1} << 30});
  section.boolean("text_hashes", out.text_hashes);
  load_text_check(section, out);
  section.boolean("skip_images", out.skip_images);
  load_image_check(section, out);
  section.boolean("scan_archives", out.scan_archives);
  if (const auto field = section.field("mime_types")) {
    out.mime_types.clear();
    for (auto& [item, word] : field->words("a glob such as application/*")) {
      out.mime_types.push_back(std::move(word));
    }
  }
  section.boolean("html_shingles", out.html_shingles);
  load_html_check(section, out);
  Section checks = section.section("checks");
  if (rule.find("checks") != nullptr) load_checks(checks, rule, out);
  section.boolean("robust", out.robust);
}

/// "NAME: off": there is no such rule.
bool is_off(const YamlNode& entry) {
  constexpr std::array<std::string_view, 3> kOff = {"off", "no", "false"};
  return entry.kind == YamlNode::Kind::kScalar &&
         std::any_of(kOff.begin(), kOff.end(),
                     [&](auto word) { return equal_ignoring_case(word, entry.text); });
}

RuleOptions load_rule(const Field& entry) {
  Section section(&entry.node(), entry.key(), entry.diagnostics());
  RuleOptions out;
  out.name = entry.node().key;
  refuse_foreign_keys(section, ForeignTo::kRule);
  load_remote(section, out.remote);
  out.hash.robust = !out.remote.is_remote();  // unless said otherwise: others do not know it
  load_hash(section, entry.node(), out.hash);
  load_flags(section.section("flags"), out.flags);
  load_symbol(section, out.symbol);
  section.boolean("skip_unknown", out.skip_unknown);
  section.boolean("read_only", out.read_only);
  section.real("weight_threshold", out.weight_threshold, {0, kAny});
  return out;
}

}  // namespace

void load_symbol(Section& section, std::string& out, std::string_view empty) {
  const auto field = section.field("symbol");
  if (!field) return;
  const std::string allowed =
      std::string(kNameForm) + (empty.empty() ? "" : ", or \"\" for " + std::string(empty));
  const auto text = field->scalar(allowed);
  if (!text) return;
  if (is_name(*text) || (text->empty() && !empty.empty())) {
    out = *text;
  } else {
    field->refuse("not a valid symbol", allowed);
  }
}

void load_rules(Section& root, bool embedded_storage, std::vector<RuleOptions>& out) {
  Section section = root.section("rules");
  const auto entries = section.entries();
  if (entries.empty()) return;
  const RuleOptions local;
  bool names_local = false;
  out.clear();
  for (const Field& entry : entries) {
    if (!check_name(entry)) continue;
    if (entry.node().key == local.name) names_local = true;
    if (!is_off(entry.node())) out.push_back(load_rule(entry));
  }
  // Adding a feed must not disable what was taught locally, so `local` stays unless it is off.
  if (!names_local && (embedded_storage || out.empty())) out.insert(out.begin(), local);
}

}  // namespace shingled::config
