#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/options/policy_options.h"
#include "milter/history/message_search.h"
#include "milter/names/list_entries.h"
#include "milter/replay/past_effect.h"
#include "mime/fingerprint/piece_shingle.h"
#include "mime/fingerprint/piece_type.h"

namespace shingled::milter::replay {

/// What a new entry of the allow or the block list would have done to messages of the history. A
/// row has names of its envelope (history.names), and of the rest only pieces, which tell whole
/// addresses, registrable domains and networks of their own length.
/// Threads: a value; any thread.
class PastEntry {
 public:
  /// `site`: the key of the names in the history.
  PastEntry(names::ListForm::Kind kind, const names::NamedEntry& entry, const CounterKeyBytes& site,
            PolicyAction block_action);

  /// Why no row tells whether its message meets the entry; empty if rows do.
  [[nodiscard]] const std::string& why_unknown() const { return why_unknown_; }
  [[nodiscard]] PastMessage of(const history::FoundMessage& message) const;

 private:
  struct Cell {
    PieceType type{};
    std::uint32_t shingle = 0;
  };
  void add(PieceType type, const std::string& text, const CounterKeyBytes& site);
  void add_domain(PieceType type, const std::string& entry, const CounterKeyBytes& site);
  void add_client(const CounterKeyBytes& site);
  [[nodiscard]] bool by_envelope() const;
  [[nodiscard]] PastMessage::Met meets(const history::FoundMessage& message) const;

  names::ListForm::Kind kind_;
  names::NamedEntry entry_;
  PolicyAction block_action_;
  names::NameList list_;     ///< the entry alone
  std::vector<Cell> cells_;  ///< one of them is enough
  std::string why_unknown_;
};

}  // namespace shingled::milter::replay
