#include <algorithm>

#include "config/keys/forms.h"
#include "config/sections/sections.h"
#include "config/sections/settings_keys.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<HashAlgorithm>, 6> kAlgorithms = {
    {{"mumhash", HashAlgorithm::kMumhash},
     {"siphash", HashAlgorithm::kSiphash},
     {"old", HashAlgorithm::kSiphash},
     {"xxhash", HashAlgorithm::kXxhash},
     {"fasthash", HashAlgorithm::kFasthash},
     {"fast", HashAlgorithm::kFasthash}}};
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
  read_keys(section, flag_keys(), out);
  refuse_foreign_keys(section, ForeignTo::kFlag);
  return out;
}

void load_flag_map(Section& rule, std::string_view key, FlagMap& out) {
  Section section = rule.section(key);
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

/// One group of `checks`, as rspamd 4 has them: the switch of the rule that `enabled` in it means,
/// and the keys of the rule that are in it.
struct CheckGroup {
  std::string_view name;
  std::string_view rule_switch;
  std::vector<std::string_view> keys;
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

void load_checks(Section&& checks, const YamlNode& rule, RuleOptions& out) {
  if (rule.find("checks") == nullptr) return;
  const auto load = [&](const CheckGroup& group, bool& enabled) {
    Section section = checks.section(group.name);
    note_twins(rule, group, section);
    section.boolean("enabled", enabled);
    for (const std::string_view name : group.keys)
      (*std::ranges::find(rule_keys(), name, [](const auto& key) {
        return key->name;
      }))->read(section, out);
  };
  load({"text",
        "text_hashes",
        {"min_length", "text_multiplier", "text_shingles", "short_text_direct_hash", "no_subject"}},
       out.hash.text_hashes);
  load({"html", "html_shingles", {"min_html_tags", "ignore_link_domains"}}, out.hash.html_shingles);
  bool images = !out.hash.skip_images;
  load({"image", "skip_images", {"min_width", "min_height"}}, images);
  out.hash.skip_images = !images;
  load({"archive", "scan_archives", {}}, out.hash.scan_archives);
}

void load_globs(Section& section, std::string_view key, std::vector<std::string>& out) {
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  for (auto& [item, word] : field->words("a glob such as application/*"))
    out.push_back(std::move(word));
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
  read_keys(section, rule_keys(), out);
  load_checks(section.section("checks"), entry.node(), out);
  // Other programs do not know it.
  if (!section.has("robust")) out.hash.robust = !out.remote.is_remote();
  return out;
}

void load_rules(Section& root, std::string_view key, Settings& settings) {
  Section section = root.section(key);
  std::vector<RuleOptions>& out = settings.rules;
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
  if (!names_local && (settings.storage.enabled || out.empty())) out.insert(out.begin(), local);
}

const Typed<std::string> kSymbol = {"text",
                                    [](Section& section, std::string_view key, std::string& out) {
                                      load_symbol(section, key, out);
                                    },
                                    [](const std::string& symbol) { return flow_scalar(symbol); }};

Keys<RuleOptions> hash_keys() {
  const auto hash = at_reload(&RuleOptions::hash);
  return {
      key("algorithm", hash(&HashOptions::algorithm), OneOf(kAlgorithms),
          "mumhash, siphash (old), xxhash, fasthash (fast)"),
      key("fuzzy_key", hash(&HashOptions::fuzzy_key), SecretText{},
          "secret text that digests depend on; \"\" = the one built into rspamd"),
      key("fuzzy_shingles_key", hash(&HashOptions::fuzzy_shingles_key), SecretText{},
          "the same for shingles"),
      key("min_length", hash(&HashOptions::min_length), Number{32, 1'000'000},
          "number of words from which a text has shingles, {}"),
      key("min_bytes", hash(&HashOptions::min_bytes), Size{0, kGi},
          "smallest part that is hashed as a whole, {}; 0 = any size"),
      key("text_multiplier", hash(&HashOptions::text_multiplier), Real{0.01, 1000},
          "the size of a text is multiplied by this for min_bytes, 0.01 to 1000"),
      key("text_hashes", hash(&HashOptions::text_hashes), Switch{},
          "no = do not hash texts (except for their structure, see html_shingles)"),
      key("text_shingles", hash(&HashOptions::text_shingles), Switch{},
          "no = hash texts only as a whole"),
      key("short_text_direct_hash", hash(&HashOptions::short_text_direct_hash), Switch{},
          "no = do not hash texts with fewer than min_length words"),
      key("no_subject", hash(&HashOptions::no_subject), Switch{},
          "yes = leave the subject out of the hashes of short texts"),
      key("skip_images", hash(&HashOptions::skip_images), Switch{}, "yes = do not hash images"),
      key("scan_archives", hash(&HashOptions::scan_archives), Switch{},
          "yes = hash archives whatever mime_types says"),
      key("min_width", hash(&HashOptions::min_width), Number{0, 100'000},
          "smallest image that is hashed, in pixels, {}"),
      key("min_height", hash(&HashOptions::min_height), Number{0, 100'000},
          "the same for its height, {}"),
      key("mime_types", hash(&HashOptions::mime_types),
          Typed<std::vector<std::string>>{"list of globs", load_globs, flow_list},
          "attachments that are hashed: globs over type/subtype"),
      key("html_shingles", hash(&HashOptions::html_shingles), Switch{},
          "yes = also hash the structure of HTML"),
      key("min_html_tags", hash(&HashOptions::min_html_tags), Number{1, 1'000'000},
          "number of elements from which HTML has a structure, {}"),
      key("ignore_link_domains", hash(&HashOptions::ignore_link_domains), Switch{},
          "yes = the structure does not depend on the domains of links"),
      key("robust", hash(&HashOptions::robust), Switch{},
          "yes = one more hash of texts, which only shingled knows, without what spammers vary: "
          "look-alike letters, numbers, links; off by default in rules with servers"),
  };
}

Keys<RuleOptions> answer_keys() {
  const auto rule = at_reload_of<RuleOptions>();
  return {
      key("symbol", rule(&RuleOptions::symbol), kSymbol,
          "symbol for a flag that is not in `flags`"),
      key("skip_unknown", rule(&RuleOptions::skip_unknown), Switch{}, "yes = ignore such a flag"),
      key("read_only", rule(&RuleOptions::read_only), Switch{},
          "yes = `shingled add` and `del` skip this rule"),
      key("weight_threshold", rule(&RuleOptions::weight_threshold), Real{0},
          "results with a smaller score are dropped, 0 or more"),
      key("flags", rule(&RuleOptions::flags),
          Typed<FlagMap>{"", load_flag_map,
                         [](const FlagMap& /*flags*/) { return std::string("{}"); }}),
  };
}

}  // namespace

const Keys<RuleOptions>& rule_keys() {
  static const Keys<RuleOptions> keys =
      joined<RuleOptions>({hash_keys(), remote_keys(), answer_keys()});
  return keys;
}

const Keys<FlagOptions>& flag_keys() {
  static const Keys<FlagOptions> keys = [] {
    const auto flag = at_reload_of<FlagOptions>();
    return Keys<FlagOptions>{
        required_key("flag", flag(&FlagOptions::flag), Number{1, 255}),
        key("symbol", flag(&FlagOptions::symbol), kSymbol),
        key("hits_limit", flag(&FlagOptions::hits_limit), Real{1}),
        key("weight", flag(&FlagOptions::weight), Real{-kWeightMost, kWeightMost}),
    };
  }();
  return keys;
}

Key<Settings> rules_section() {
  return key("rules", at_reload_of<Settings>(),
             Typed<Settings>{"", load_rules,
                             [](const Settings& /*settings*/) { return std::string("{}"); }});
}

void load_symbol(Section& section, std::string_view key, std::string& out, std::string_view empty) {
  const auto field = section.field(key);
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

}  // namespace shingled::config
