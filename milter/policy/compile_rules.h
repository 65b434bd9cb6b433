#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "milter/names/list_files.h"
#include "milter/policy/atom_code.h"
#include "milter/policy/rule.h"

namespace shingled::milter::policy {

/// Rules, ready to be evaluated: names are looked up, each comparison is there once, and each rule
/// comes after those that it needs.
/// Threads: a value; made by compile_rules alone.
struct CompiledRules {
  /// A part of a condition.
  struct Node {
    enum class Kind : std::uint8_t {
      kUnknown,  ///< a rule that is not enabled
      kAtom,     ///< first: place in `atoms`
      kRule,     ///< first: place in `rules`
      kSymbol,   ///< first: place in `symbols`
      kNot,      ///< first: place in `nodes`
      kAnd,      ///< first, count: places in `nodes`
      kOr,
    };
    Kind kind = Kind::kUnknown;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  std::vector<Rule> rules;           ///< all, as they were given
  CounterNeeds needs;                ///< what evaluate wants to know of counters
  std::vector<std::string> symbols;  ///< of other sources that evaluate wants to know

  std::vector<names::ListFile> files;                         ///< that conditions name
  std::vector<std::shared_ptr<const names::NameList>> lists;  ///< that conditions have themselves

  std::vector<AtomCode> atoms;
  std::vector<Atom> atom_texts;  ///< of each atom what was written
  std::vector<Node> nodes;
  std::vector<Node> roots;           ///< by rule
  std::vector<std::uint32_t> order;  ///< of the enabled rules: each after those that it needs

  /// Whether a condition compares names of the message.
  [[nodiscard]] bool asks_names() const { return !files.empty() || !lists.empty(); }
};

/// Errors:  kInvalid: check_rules finds an error; the message is that of the first one.
/// Threads: stateless.
Result<CompiledRules> compile_rules(std::vector<Rule> rules, const CheckContext& context);

}  // namespace shingled::milter::policy
