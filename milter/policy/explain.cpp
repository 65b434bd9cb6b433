#include "milter/policy/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "milter/policy/condition.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::policy {

namespace {

constexpr std::size_t kPieceShown = 60;

bool is_feature(const AtomCode& atom) {
  return atom.kind == AtomCode::Kind::kNumber || atom.kind == AtomCode::Kind::kWord;
}

bool names_recipient(PieceType type) {
  switch (type) {
    case PieceType::kRecipient:
    case PieceType::kSenderRecipient:
    case PieceType::kRecipientSender:
    case PieceType::kUniqueRecipientSenders:
    case PieceType::kUserRecipient:
    case PieceType::kTextRecipient:
    case PieceType::kAttachmentRecipient:
      return true;
    default:
      return false;
  }
}

/// Whether such a piece may be in a log: the name of a host, or a checksum. Phrases, subjects,
/// addresses and numbers are text of a mail.
bool is_for_log(PieceType type) {
  switch (type) {
    case PieceType::kLinkHost:
    case PieceType::kLinkDomain:
    case PieceType::kForeignHost:
    case PieceType::kDkimDomain:
    case PieceType::kText:
    case PieceType::kRobustText:
    case PieceType::kStructure:
    case PieceType::kAttachment:
    case PieceType::kImage:
    case PieceType::kStoredHash:
    case PieceType::kUniqueTextSenders:
    case PieceType::kUniqueTextRecipients:
    case PieceType::kUniqueAttachmentSenders:
    case PieceType::kUniqueAttachmentRecipients:
    case PieceType::kUniqueReporters:
      return true;
    default:
      return false;
  }
}

bool is_shown(PieceType type, Reader reader) {
  switch (reader) {
    case Reader::kOperator:
      return true;
    case Reader::kLog:
      return is_for_log(type);
    case Reader::kRecipients:
      return !names_recipient(type);
  }
  return false;
}

/// The beginning of a text that is cut between two characters of UTF-8.
std::string_view shown_of(std::string_view piece) {
  if (piece.size() <= kPieceShown) return piece;
  std::size_t size = kPieceShown;
  while (size > 0 && (static_cast<unsigned char>(piece[size]) & 0xC0U) == 0x80U) --size;
  return piece.substr(0, size);
}

/// A piece with its value.
struct Witness {
  const PieceReading* piece = nullptr;
  PieceValue value;
};

/// The strongest of the pieces for which the comparison is `truth`. Of unknown ones the first.
std::optional<Witness> witness_of(const AtomCode& atom, const CounterReadings& readings,
                                  Truth truth) {
  std::optional<Witness> best;
  for (const PieceReading& piece : readings.of(atom.need)) {
    const PieceValue value = value_of(atom, piece);
    if (holds(atom, value) != truth) continue;
    if (!best || (value.known && is_stronger(atom, value, best->value))) best = {&piece, value};
  }
  return best;
}

std::string percentage(const PieceValue& value) {
  if (value.whole == 0) return "";
  const double share = 100.0 * static_cast<double>(value.count) / static_cast<double>(value.whole);
  return share < 10 ? fmt::format(" ({:.2f} %)", share) : fmt::format(" ({:.1f} %)", share);
}

double usual_of(const AtomCode& atom, const PieceValue& value) {
  constexpr double kDay = storage::counters::kSlotSeconds * storage::counters::kSlotsPerDay;
  return static_cast<double>(value.usual_sum) / value.usual_days * atom.window_seconds / kDay;
}

class ConditionExplainer {
 public:
  ConditionExplainer(const CompiledRules& rules, const MessageFacts& facts,
                     const Evaluation& evaluation, Reader reader = Reader::kOperator)
      : rules_(rules), facts_(facts), evaluation_(evaluation), reader_(reader) {}

  /// Adds the parts that make `node` what it is.
  void decisive(const CompiledRules::Node& node, std::vector<std::string>& out) const;
  /// Whether one part that is near, or unknown though it could be known, keeps `node` from being
  /// `wanted`; adds that part.
  bool almost(const CompiledRules::Node& node, Truth wanted, std::vector<std::string>& out) const;

 private:
  using Node = CompiledRules::Node;

  [[nodiscard]] Truth truth(const Node& node) const;
  [[nodiscard]] Truth atom_truth(const AtomCode& atom) const {
    if (atom.kind == AtomCode::Kind::kName) return holds_for_names(rules_, facts_, atom);
    return is_feature(atom) ? holds(atom, facts_.features) : holds_for_one(atom, facts_.counters);
  }
  [[nodiscard]] std::string leaf_text(const Node& node) const;
  [[nodiscard]] std::string atom_text(std::size_t place) const;
  [[nodiscard]] std::string names_text(const Atom& text, const AtomCode& code) const;
  [[nodiscard]] std::string counter_text(const Atom& text, const AtomCode& code) const;
  [[nodiscard]] bool is_near_leaf(const Node& node, bool wanted) const;

  const CompiledRules& rules_;
  const MessageFacts& facts_;
  const Evaluation& evaluation_;
  const Reader reader_;
};

Truth ConditionExplainer::truth(const Node& node) const {
  Truth all = node.kind == Node::Kind::kAnd ? Truth::kTrue : Truth::kFalse;
  switch (node.kind) {
    case Node::Kind::kAtom:
      return atom_truth(rules_.atoms[node.first]);
    case Node::Kind::kRule:
      return evaluation_.of(node.first);
    case Node::Kind::kSymbol:
      return node.first < facts_.symbols.size() ? facts_.symbols[node.first] : Truth::kUnknown;
    case Node::Kind::kNot:
      return !truth(rules_.nodes[node.first]);
    case Node::Kind::kAnd:
    case Node::Kind::kOr:
      for (std::uint32_t i = 0; i < node.count; ++i) {
        const Truth part = truth(rules_.nodes[node.first + i]);
        all = node.kind == Node::Kind::kAnd ? both(all, part) : either(all, part);
      }
      return all;
    case Node::Kind::kUnknown:
      break;
  }
  return Truth::kUnknown;
}

void ConditionExplainer::decisive(const Node& node, std::vector<std::string>& out) const {
  if (node.kind == Node::Kind::kNot) {
    decisive(rules_.nodes[node.first], out);
    return;
  }
  if (node.kind != Node::Kind::kAnd && node.kind != Node::Kind::kOr) {
    out.push_back(leaf_text(node));
    return;
  }
  const Truth is = truth(node);
  // One part is enough for a true `or` and a false `and`; else all parts that are the same.
  const bool one = is == (node.kind == Node::Kind::kOr ? Truth::kTrue : Truth::kFalse);
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node& part = rules_.nodes[node.first + i];
    if (truth(part) != is) continue;
    decisive(part, out);
    if (one) return;
  }
}

bool ConditionExplainer::almost(const Node& node, Truth wanted,
                                std::vector<std::string>& out) const {
  if (node.kind == Node::Kind::kNot) return almost(rules_.nodes[node.first], !wanted, out);
  if (node.kind != Node::Kind::kAnd && node.kind != Node::Kind::kOr) {
    if (!is_near_leaf(node, wanted == Truth::kTrue)) return false;
    out.push_back(leaf_text(node));
    return true;
  }
  const bool all = (node.kind == Node::Kind::kAnd) == (wanted == Truth::kTrue);
  std::size_t missing = 0;
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node& part = rules_.nodes[node.first + i];
    if (truth(part) == wanted) continue;
    ++missing;
    std::vector<std::string> texts;
    const bool near = almost(part, wanted, texts);
    if (all && !near) return false;
    if (near && found.empty()) found = std::move(texts);
  }
  if (found.empty() || (all && missing > 1)) return false;
  out.insert(out.end(), found.begin(), found.end());
  return true;
}

bool ConditionExplainer::is_near_leaf(const Node& node, bool wanted) const {
  if (node.kind == Node::Kind::kSymbol) return truth(node) == Truth::kUnknown;
  if (node.kind != Node::Kind::kAtom) return false;
  const AtomCode& atom = rules_.atoms[node.first];
  if (atom.kind == AtomCode::Kind::kName) return false;
  if (is_feature(atom)) {
    if (!facts_.features.is_known(atom.feature) || atom.kind == AtomCode::Kind::kWord) return false;
    return row_of(atom.feature).type == FeatureRow::Type::kNumber &&
           is_near(atom, {.known = true, .count = facts_.features.number(atom.feature)}, wanted);
  }
  const std::vector<PieceReading>& pieces = facts_.counters.of(atom.need);
  return std::ranges::any_of(pieces, [&](const PieceReading& piece) {
    return piece.sums.empty() || is_near(atom, value_of(atom, piece), wanted);
  });
}

std::string ConditionExplainer::leaf_text(const Node& node) const {
  const Truth is = truth(node);
  if (node.kind == Node::Kind::kAtom) return atom_text(node.first);
  const bool rule = node.kind != Node::Kind::kSymbol;
  const std::string& name = rule ? rules_.rules[node.first].name : rules_.symbols[node.first];
  return is == Truth::kUnknown ? name + " unknown" : (is == Truth::kTrue ? "" : "not ") + name;
}

std::string ConditionExplainer::atom_text(std::size_t place) const {
  const AtomCode& code = rules_.atoms[place];
  const Atom& text = rules_.atom_texts[place];
  if (code.kind == AtomCode::Kind::kName) return names_text(text, code);
  if (!is_feature(code)) return counter_text(text, code);
  const FeatureRow& row = row_of(code.feature);
  const std::string value = to_string(facts_.features, code.feature);
  if (row.type == FeatureRow::Type::kYesNo) {
    if (value == "unknown") return fmt::format("{} unknown", row.name);
    return value == "yes" ? std::string(row.name) : fmt::format("not {}", row.name);
  }
  const std::string threshold = threshold_text(text);
  if (value == threshold) return fmt::format("{} {}", row.name, value);
  return fmt::format("{} {}; rule: {}", row.name, value, threshold);
}

std::string ConditionExplainer::names_text(const Atom& text, const AtomCode& code) const {
  const features::NameRow& row = features::row_of(code.name);
  const bool secret = reader_ == Reader::kRecipients && (code.name == features::Name::kRecipient ||
                                                         code.name == features::Name::kUser);
  const names::Found found = names_found(rules_, facts_, code);
  if (found.answer == names::Found::Answer::kUnknown || facts_.names == nullptr)
    return fmt::format("{} unknown", row.word);
  const std::string file = text.file.substr(text.file.rfind('/') + 1);
  if (found.match) {
    std::string out(row.word);
    if (!secret) out += ' ' + found.match->value.substr(0, kPieceShown);
    if (code.in_file) return out + fmt::format(" in {}:{}", file, found.match->line);
    const bool same = found.match->entry == found.match->value;
    return same || secret ? out : fmt::format("{} in {}", out, found.match->entry);
  }
  std::string value = secret ? std::string() : ' ' + to_string(facts_.names->values, code.name);
  if (value.size() > kPieceShown) value = value.substr(0, kPieceShown) + "...";
  return fmt::format("{}{} {}", row.word, value,
                     code.in_file ? "not in " + file : "not " + threshold_text(text));
}

std::string ConditionExplainer::counter_text(const Atom& text, const AtomCode& code) const {
  const std::string name = fmt::format("{}.{}", text.name, text.measure);
  const std::string window = storage::counters::to_string(text.window);
  const auto witness = witness_of(code, facts_.counters, atom_truth(code));
  if (!witness || !witness->value.known) {
    const bool is_new =
        code.kind == AtomCode::Kind::kUsual && witness && !witness->piece->sums.empty();
    return fmt::format("{} unknown in {}{}; rule: {}", name, window, is_new ? " (new today)" : "",
                       threshold_text(text));
  }
  const PieceValue& value = witness->value;
  std::string out = fmt::format("{} {}", name, value.count);
  if (code.kind == AtomCode::Kind::kShare)
    out += fmt::format(" of {}{}", value.whole, percentage(value));
  out += fmt::format(" in {}", window);
  if (code.kind == AtomCode::Kind::kUsual) {
    out += fmt::format(" (usual {:.1f})", usual_of(code, value));
  }
  const PieceType type = rules_.needs[code.need].type;
  const bool shown = has_several(type) && is_shown(type, reader_);
  if (shown && !witness->piece->piece.empty())
    out += fmt::format(" [{}]", shown_of(witness->piece->piece));
  return fmt::format("{}; rule: {}", out, threshold_text(text));
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

}  // namespace

std::string explain_condition(const CompiledRules& rules, const MessageFacts& facts,
                              const Evaluation& evaluation, std::size_t rule, Reader reader) {
  std::vector<std::string> texts;
  ConditionExplainer(rules, facts, evaluation, reader).decisive(rules.roots[rule], texts);
  return joined(texts);
}

std::string explain_rule(const CompiledRules& rules, const MessageFacts& facts,
                         const Evaluation& evaluation, std::size_t rule, Reader reader) {
  return explain_rule(rules.rules[rule], explain_condition(rules, facts, evaluation, rule, reader));
}

std::string explain_rule(const Rule& rule, std::string_view why) {
  std::string out = rule.name;
  if (rule.score) out += fmt::format(" {:+.2f}", *rule.score);
  if (const auto action = action_word(rule); !action.empty()) out += fmt::format(" {}", action);
  if (rule.shadow) out += " (shadow)";
  out += ": ";
  return out += why;
}

std::vector<NearMiss> near_misses(const CompiledRules& rules, const MessageFacts& facts,
                                  const Evaluation& evaluation) {
  std::vector<NearMiss> out;
  const ConditionExplainer explanation(rules, facts, evaluation);
  for (std::size_t rule = 0; rule < rules.rules.size(); ++rule) {
    std::vector<std::string> texts;
    if (!rules.rules[rule].enabled || evaluation.fires(rule) ||
        !explanation.almost(rules.roots[rule], Truth::kTrue, texts))
      continue;
    out.push_back({rule, fmt::format("{}: {}", rules.rules[rule].name, joined(texts))});
  }
  return out;
}

}  // namespace shingled::milter::policy
