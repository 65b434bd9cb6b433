#include <map>

#include "config/keys/forms.h"
#include "config/sections/sections.h"
#include "config/system/whole_file.h"
#include "config/words/nearest_word.h"

namespace shingled::config {

namespace {

/// No sum of scores reaches infinity, whatever rules there are.
constexpr double kAnyRuleScore = 1e9;
constexpr std::size_t kFilesMax = 100;
constexpr std::size_t kAdviceBytesMax = 256;
constexpr std::size_t kGroupBytesMax = 64;
constexpr std::string_view kAll = "all";
constexpr std::string_view kMarks = "marks";  ///< of the rules that are shipped; may have none
constexpr std::array<Choice<PolicyAction>, 7> kActions = {
    {{to_string(PolicyAction::kAddHeader), PolicyAction::kAddHeader},
     {to_string(PolicyAction::kTempfail), PolicyAction::kTempfail},
     {to_string(PolicyAction::kQuarantine), PolicyAction::kQuarantine},
     {to_string(PolicyAction::kReject), PolicyAction::kReject},
     {to_string(PolicyAction::kDiscard), PolicyAction::kDiscard},
     {to_string(PolicyAction::kAccept), PolicyAction::kAccept},
     {to_string(PolicyAction::kDeliver), PolicyAction::kDeliver}}};
/// Those of the block list: all but accept and deliver.
constexpr std::array<Choice<PolicyAction>, 5> kBlockActions = {
    kActions[0], kActions[1], kActions[2], kActions[3], kActions[4]};

constexpr std::array<Choice<PolicyPromote>, 3> kPromotes = {
    {{to_string(PolicyPromote::kAuto), PolicyPromote::kAuto},
     {to_string(PolicyPromote::kAsk), PolicyPromote::kAsk},
     {to_string(PolicyPromote::kOff), PolicyPromote::kOff}}};

constexpr std::array<Choice<ModelMode>, 3> kModes = {
    {{"shadow", ModelMode::kShadow}, {"score", ModelMode::kScore}, {"off", ModelMode::kOff}}};

PolicyPlace place_of(const Diagnostics& diagnostics, const Position& position) {
  const bool in_file = position.origin == Position::Origin::kFile;
  return {in_file ? diagnostics.file_name() : "-o", position.line, position.column};
}

/// Rules by name, in the order in which they came.
class RuleCollection {
 public:
  explicit RuleCollection(std::vector<PolicyRuleOptions>& rules) : rules_(rules) {}

  PolicyRuleOptions& of(const std::string& name, const PolicyPlace& place) {
    const auto [found, fresh] = index_.try_emplace(name, rules_.size());
    if (fresh) rules_.push_back({.name = name, .condition = "", .place = place});
    return rules_[found->second];
  }
  [[nodiscard]] PolicyRuleOptions* find(const std::string& name) {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &rules_[found->second];
  }
  /// "; did you mean 'NAME'?", or nothing.
  [[nodiscard]] std::string hint(const std::string& name) const {
    std::vector<std::string> names;
    for (const PolicyRuleOptions& rule : rules_) {
      if (rule.name != name) names.push_back(rule.name);
    }
    const auto meant = nearest_word(name, names);
    return meant ? "; did you mean " + in_quotes(*meant) + "?" : "";
  }

 private:
  std::vector<PolicyRuleOptions>& rules_;
  std::map<std::string, std::size_t> index_;
};

void read_condition(Section& section, PolicyRuleOptions& rule) {
  const auto field = section.field("if");
  if (!field) return;
  constexpr std::string_view kAllowed = "a condition such as from.spam >= 99% of 100 in 14d";
  rule.condition_text = {place_of(field->diagnostics(), field->node().position), {}};
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  if (text->empty()) field->problem("is empty", kAllowed);
  rule.condition = *text;
  for (const ScalarStep& step : field->node().steps) {
    rule.condition_text.steps.push_back({step.offset, step.position.line, step.position.column});
  }
}

/// A line for people.
void read_advice(Section& section, std::string_view key, std::string& out) {
  const auto field = section.field(key);
  if (!field) return;
  const std::string allowed =
      "at most " + std::to_string(kAdviceBytesMax) + " bytes of text in one line, or \"\" for none";
  const auto text = field->scalar(allowed);
  if (!text) return;
  const bool several_lines = text->find_first_of("\r\n\t") != std::string_view::npos;
  if (several_lines || text->size() > kAdviceBytesMax) {
    field->problem(several_lines ? "has more than one line" : "is too long", allowed);
  } else {
    out = *text;
  }
}

/// A word in small letters.
void read_group(Section& section, std::string& out) {
  constexpr std::string_view kAllowed = "a word of small letters and '_', such as marks";
  const auto field = section.field("group");
  if (!field) return;
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  const bool valid =
      text->size() <= kGroupBytesMax && *text != kAll &&
      std::ranges::all_of(*text, [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); });
  if (valid) {
    out = *text;
  } else {
    field->refuse("not a group", kAllowed);
  }
}

/// Changes what is given, and leaves the rest of the rule as it is.
void load_policy_rule(const Field& entry, RuleCollection& rules) {
  const Diagnostics& diagnostics = entry.diagnostics();
  const YamlNode& node = entry.node();
  if (node.kind == YamlNode::Kind::kScalar || node.kind == YamlNode::Kind::kList) {
    static_cast<void>(Section(&node, entry.key(), entry.diagnostics()));  // says what is allowed
    return;
  }
  PolicyRuleOptions& rule = rules.of(node.key, place_of(diagnostics, node.key_position));
  Section section(&node, entry.key(), entry.diagnostics());
  read_condition(section, rule);
  double score = 0;
  section.real("score", score, {-kAnyRuleScore, kAnyRuleScore});
  if (const YamlNode* given = node.find("score")) {
    rule.score = score;
    rule.score_place = place_of(diagnostics, given->position);
  }
  PolicyAction action = PolicyAction::kAddHeader;
  section.choice<PolicyAction>("action", action, kActions);
  if (const YamlNode* given = node.find("action")) {
    rule.action = action;
    rule.action_place = place_of(diagnostics, given->position);
  }
  read_group(section, rule.group);
  read_advice(section, "reason", rule.reason);
  read_advice(section, "remedy", rule.remedy);
  section.boolean("shadow", rule.shadow);
  section.boolean("enabled", rule.enabled);
}

constexpr double kScaleMin = 0.001;

/// `scale` in a file of rules.
void load_scale(Section& section, const YamlNode& node, std::vector<PolicyScale>& scales) {
  double score = 0;
  section.real("scale", score, {kScaleMin, kAnyRuleScore});
  const YamlNode* given = node.find("scale");
  if (given != nullptr && score >= kScaleMin)
    scales.push_back({score, place_of(section.diagnostics(), given->position)});
}

void load_all(Section&& section, RuleCollection& rules) {
  for (const Field& entry : section.entries()) load_policy_rule(entry, rules);
}

/// `scale` and `rules` at the top, or in `policy` as in shingled.yaml.
void load_file_tree(const YamlNode& root, Diagnostics& diagnostics, RuleCollection& rules,
                    std::vector<PolicyScale>& scales) {
  Section section(&root, "", diagnostics);
  if (section.has("policy")) {
    Section policy = section.section("policy");
    for (const std::string_view key :
         {"files", "live", "promote", "allow_file", "block_file", "block_action"})
      policy.refuse_key(key, "is not read in a file of rules; allowed: scale, rules");
    load_scale(policy, *root.find("policy"), scales);
    load_all(policy.section("rules"), rules);
  } else {
    load_scale(section, root, scales);
    load_all(section.section("rules"), rules);
  }
}

void load_file(const Field& item, const std::string& path, RuleCollection& rules,
               std::vector<PolicyScale>& scales) {
  const auto text = read_whole_text(path, kYamlBytesMax);
  if (!text) {
    item.problem(in_quotes(path) + " cannot be read: " + text.error().message);
    return;
  }
  Diagnostics diagnostics(path);
  const auto root = parse_yaml(*text, {Position::Origin::kFile, 1, 1}, "", diagnostics);
  if (root) load_file_tree(*root, diagnostics, rules, scales);
  item.diagnostics().include(diagnostics);
}

/// A path that is not absolute begins at the folder of the file that names it.
std::string absolute(std::string_view path, const std::string& named_in) {
  if (path.starts_with('/')) return std::string(path);
  const std::size_t slash = named_in.rfind('/');
  return (slash == std::string::npos ? "" : named_in.substr(0, slash + 1)) + std::string(path);
}

void load_files(Section& section, std::string_view key, PolicyOptions& out, RuleCollection& rules) {
  std::vector<std::string>& files = out.files;
  const auto field = section.field(key);
  if (!field) return;
  constexpr std::string_view kAllowed = "paths of files with rules, or [] for none";
  files.clear();
  out.scales.clear();
  for (const Field& item : field->list()) {
    const auto text = item.scalar(kAllowed);
    if (!text) continue;
    if (text->empty() || files.size() == kFilesMax) {
      item.problem(text->empty() ? "is empty" : "exceeds the limit",
                   text->empty() ? kAllowed : "at most 100 files");
      return;
    }
    files.push_back(absolute(*text, section.diagnostics().file_name()));
    load_file(item, files.back(), rules, out.scales);
  }
}

/// Takes a rule, a group or all out of shadow, or keeps them there; false if there is nothing of
/// that name.
bool set_shadow(const std::string& name, bool shadow, std::vector<PolicyRuleOptions>& all,
                RuleCollection& rules) {
  if (PolicyRuleOptions* rule = rules.find(name)) {
    rule->shadow = shadow;
    rule->kept = shadow;
    return true;
  }
  bool found = name == kAll;
  for (PolicyRuleOptions& rule : all) {
    if (name != kAll && rule.group != name) continue;
    rule.shadow = shadow;
    rule.kept = shadow;
    found = true;
  }
  return found;
}

void load_live(Section& section, std::string_view key, std::vector<std::string>& live,
               std::vector<PolicyRuleOptions>& all, RuleCollection& rules) {
  const auto field = section.field(key);
  if (!field) {
    for (const std::string& name : live) static_cast<void>(set_shadow(name, false, all, rules));
    return;
  }
  live.clear();
  for (const auto& [item, name] : field->words("names of rules or groups, or all")) {
    live.push_back(name);
    const bool back = name.starts_with('-');
    const std::string meant = back ? name.substr(1) : name;
    if (!set_shadow(meant, back, all, rules) && meant != kMarks)
      item.problem(in_quotes(meant) + " is not the name of a rule or of a group" +
                   rules.hint(meant));
  }
}

/// The rule may be in another file.
void report_no_condition(const PolicyRuleOptions& rule, const RuleCollection& rules,
                         Section& section) {
  const bool in_file = rule.place.file != "-o";
  Diagnostics there(rule.place.file);
  there.add({in_file ? Position::Origin::kFile : Position::Origin::kOverride, rule.place.line,
             rule.place.column},
            "policy.rules." + rule.name,
            "has no condition; allowed: with a setting of if, or the name of a rule in "
            "policy.files" +
                rules.hint(rule.name));
  section.diagnostics().include(there);
}

/// `rules`, with those of `files` before them, and then `live`, which names them.
void load_rules_of_policy(Section& section, std::string_view key, PolicyOptions& out) {
  RuleCollection rules(out.rules);
  load_files(section, "files", out, rules);
  load_all(section.section(key), rules);
  load_live(section, "live", out.live, out.rules, rules);
  for (const PolicyRuleOptions& rule : out.rules) {
    if (rule.condition_text.start.line == 0) report_no_condition(rule, rules, section);
  }
}

/// The reader of `rules` reads it, too: it needs all rules.
void read_with_rules(Section& /*section*/, std::string_view /*key*/,
                     std::vector<std::string>& /*out*/) {}

}  // namespace

Key<Settings> policy_section() {
  const auto live = at_reload(&Settings::policy);
  return map<Settings>(
      "policy",
      {
          key("files", live(&PolicyOptions::files),
              Typed<std::vector<std::string>>{"list of files", read_with_rules, flow_list},
              "files with more rules, such as [policy.yaml], which is shipped; a path that does "
              "not begin with / begins at the folder of this file"),
          key("live", live(&PolicyOptions::live),
              Typed<std::vector<std::string>>{"list of rules", read_with_rules, flow_list},
              "names of rules or groups that are taken out of shadow, wherever they are written; "
              "all = every rule; with a minus before it, it stays in shadow: [marks, -OWN_MARK]"),
          key("promote", live(&PolicyOptions::promote), OneOf(kPromotes),
              "once a day the history judges the rules in shadow, by what people reported and "
              "rescued: ask = `shingled policy status` and the log propose the good ones, auto = "
              "they go live, one a day, and back when their figures turn, off = none is judged"),
          key("rules", live,
              Typed<PolicyOptions>{
                  "", load_rules_of_policy,
                  [](const PolicyOptions& /*policy*/) { return std::string("{}"); }},
              "rules by name"),
          key("allow_file", live(&PolicyOptions::allow_file), Path{},
              "mail that passes whatever its score is; \"\" = no such list"),
          key("block_file", live(&PolicyOptions::block_file), Path{},
              "mail that is refused; \"\" = no such list"),
          key("block_action", live(&PolicyOptions::block_action), OneOf(kBlockActions),
              "what happens to blocked mail: reject = the sender is told, add_header, tempfail, "
              "quarantine, discard"),
          map<Settings>(
              "model",
              {key("mode", live(&PolicyOptions::model)(&PolicyModelOptions::mode), OneOf(kModes),
                   "what the model's word does: shadow = it is shown and counted, without effect, "
                   "until the history speaks for it (see promote), score = it adds to the score, "
                   "off = nothing"),
               key("score_max", live(&PolicyOptions::model)(&PolicyModelOptions::score_max),
                   Real{0, 100},
                   "what it adds to the score at most, and takes away at most, {}; alone it never "
                   "rejects")}),
      });
}

}  // namespace shingled::config
