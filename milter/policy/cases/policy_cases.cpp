#include "milter/policy/cases/policy_cases.h"

#include <algorithm>
#include <array>
#include <limits>

#include "config/base/number_text.h"
#include "config/document/section.h"
#include "config/document/yaml_document.h"
#include "config/words/nearest_word.h"
#include "milter/policy/condition.h"

namespace shingled::milter::policy {

namespace {

using config::Field;
using config::Section;
using features::FeatureRow;

constexpr double kAnyTestScore = std::numeric_limits<double>::max();
constexpr std::array<config::Choice<rules::Action>, 6> kCaseActions = {
    {{"pass", rules::Action::kPass},
     {"add_header", rules::Action::kAddHeader},
     {"tempfail", rules::Action::kTempfail},
     {"quarantine", rules::Action::kQuarantine},
     {"reject", rules::Action::kReject},
     {"discard", rules::Action::kDiscard}}};

/// "; did you mean 'NAME'?", or nothing.
std::string hint_for(std::string_view word, const std::vector<std::string>& known) {
  const auto meant = config::nearest_word(word, known);
  return meant ? "; did you mean " + config::in_quotes(*meant) + "?" : "";
}

void read_feature(const Field& entry, features::FeatureValues& out) {
  const FeatureRow* const row = features::find_feature(entry.node().key);
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const FeatureRow& each : features::features()) names.emplace_back(each.name);
    entry.diagnostics().add(entry.node().key_position, entry.key(),
                            "is not a feature" + hint_for(entry.node().key, names));
    return;
  }
  const auto text = entry.scalar("a " + std::string(to_string(row->type)));
  if (!text) return;
  if (row->type == FeatureRow::Type::kYesNo) {
    const bool yes = *text == "yes" || *text == "true";
    if (!yes && *text != "no" && *text != "false") {
      entry.refuse("neither yes nor no", "yes, no");
      return;
    }
    out.set_yes(row->feature, yes);
  } else if (row->type == FeatureRow::Type::kWord) {
    out.set_word(row->feature, std::string(*text));
  } else if (const auto number = policy::parse_number(*text)) {
    out.set_number(row->feature, static_cast<std::uint64_t>(number->value() / policy::kMillion));
  } else {
    entry.refuse("not a number", "a number such as 1200 or 10M");
  }
}

/// "from.spam in 14d", "from.spam" and "user.mass usual".
bool parse_counter_name(const Field& entry, PolicyCase::Sums& out) {
  constexpr std::string_view kIn = " in ";
  constexpr std::string_view kUsual = " usual";
  const auto refuse = [&](const std::string& what) {
    entry.diagnostics().add(entry.node().key_position, entry.key(), what);
    return false;
  };
  std::string_view name = entry.node().key;
  out.window = policy::kDefaultWindow;
  if (name.ends_with(kUsual)) {
    name.remove_suffix(kUsual.size());
    out.window.reset();
  } else if (const std::size_t at = name.find(kIn); at != std::string_view::npos) {
    const auto window = storage::counters::parse_window(name.substr(at + kIn.size()));
    if (!window) return refuse(window.error().message);
    out.window = *window;
    name = name.substr(0, at);
  }
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view counter = name.substr(0, dot);
  const std::string_view measure = name.substr(std::min(dot + 1, name.size()));
  const auto feature = policy::find_counter_feature(counter, measure);
  if (feature) {
    out.feature = *feature;
    return true;
  }
  const auto measures = policy::measure_names(counter);
  if (measures.empty())
    return refuse("there is no such counter" + hint_for(counter, policy::counter_names()));
  return refuse("the counter has no such measure" + hint_for(measure, measures));
}

void read_counter(const Field& entry, std::vector<PolicyCase::Sums>& out) {
  PolicyCase::Sums sums;
  if (!parse_counter_name(entry, sums)) return;
  constexpr std::string_view kAllowed = "a number, or a list of one for each piece";
  for (const Field& item : entry.list()) {
    const auto text = item.scalar(kAllowed);
    if (!text) return;
    const auto number = parse_whole<std::uint64_t>(*text, 0, storage::counters::kCountMax);
    if (!number) return item.refuse("not a whole number", kAllowed);
    sums.values.push_back(*number);
  }
  out.push_back(std::move(sums));
}

class CaseReader {
 public:
  CaseReader(const policy::CompiledRules& rules, config::Diagnostics& diagnostics)
      : diagnostics_(diagnostics) {
    for (const policy::Rule& rule : rules.rules) names_.push_back(rule.name);
  }

  PolicyCase read(const Field& item, std::size_t number) {
    PolicyCase out;
    out.name = "case " + std::to_string(number);
    out.line = item.node().position.line;
    Section section(&item.node(), item.key(), diagnostics_);
    section.text("name", out.name);
    section.text("message", out.message);
    {
      Section features = section.section("features");
      for (const Field& entry : features.entries()) read_feature(entry, out.features);
    }
    {
      Section counters = section.section("counters");
      for (const Field& entry : counters.entries()) read_counter(entry, out.counters);
    }
    read_words(section, "symbols", false, out.symbols);
    section.real("other_score", out.other_score, {-kAnyTestScore, kAnyTestScore});
    read_words(section, "expect", true, out.expect);
    read_words(section, "expect_not", true, out.expect_not);
    read_outcome(section, out);
    return out;
  }

 private:
  void read_words(Section& section, std::string_view key, bool are_rules,
                  std::vector<std::string>& out) {
    const auto field = section.field(key);
    if (!field) return;
    for (const auto& [item, word] : field->words("names, or [] for none")) {
      const bool known = std::ranges::find(names_, word) != names_.end();
      if (are_rules && !known)
        item.problem(config::in_quotes(word) + " is not the name of a rule" +
                     hint_for(word, names_));
      out.push_back(word);
    }
  }

  static void read_outcome(Section& section, PolicyCase& out) {
    if (section.has("action")) {
      out.action = rules::Action::kPass;
      section.choice<rules::Action>("action", *out.action, kCaseActions);
    } else {
      static_cast<void>(section.field("action"));
    }
    double score = 0;
    const bool has_score = section.has("score");
    section.real("score", score, {-kAnyTestScore, kAnyTestScore});
    if (has_score) out.score = score;
  }

  std::vector<std::string> names_;
  config::Diagnostics& diagnostics_;
};

}  // namespace

PolicyCases read_policy_cases(std::string_view text, std::string_view file,
                              const policy::CompiledRules& rules) {
  config::Diagnostics diagnostics(file);
  PolicyCases out;
  const auto root =
      config::parse_yaml(text, {config::Position::Origin::kFile, 1, 1}, "", diagnostics);
  if (root) {
    CaseReader reader(rules, diagnostics);
    Section section(&*root, "", diagnostics);
    const auto cases = section.field("cases");
    if (cases) {
      for (const Field& item : cases->list()) {
        out.cases.push_back(reader.read(item, out.cases.size() + 1));
      }
    }
  }
  out.problems = diagnostics.problems();
  return out;
}

policy::CounterReadings readings_of(const PolicyCase& test, const policy::CompiledRules& rules) {
  policy::CounterReadings out(rules.needs.size());
  for (std::size_t need = 0; need < rules.needs.size(); ++need) {
    const PieceType type = rules.needs[need].type;
    const std::vector<policy::Window>& windows = rules.needs[need].windows;
    std::vector<policy::PieceReading> pieces;
    for (const PolicyCase::Sums& sums : test.counters) {
      if (sums.feature.type != type) continue;
      pieces.resize(std::max(pieces.size(), sums.values.size()));
      for (std::size_t piece = 0; piece < sums.values.size(); ++piece) {
        pieces[piece].sums.resize(windows.size());
        for (std::size_t i = 0; i < windows.size(); ++i) {
          const bool day_before = windows[i].unit == policy::kDefaultWindow.unit &&
                                  windows[i].count == 1 && windows[i].skipped > 0;
          if (sums.window ? windows[i] == *sums.window : day_before)
            pieces[piece].sums[i].of(sums.feature.measure) = sums.values[piece];
        }
      }
    }
    for (policy::PieceReading& piece : pieces) {
      piece.sums.resize(windows.size());
      piece.said_known = true;
      out.add(need, std::move(piece));
    }
  }
  return out;
}

}  // namespace shingled::milter::policy
