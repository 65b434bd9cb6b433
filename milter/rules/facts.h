#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "milter/features/counter_needs.h"
#include "milter/features/feature.h"
#include "milter/rules/evidence.h"
#include "milter/rules/model_word.h"
#include "mime/analyze.h"
#include "mime/pieces/piece_list.h"
#include "storage/counters/counter.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::rules {

/// What the counters say of one piece of a message.
struct PieceCounts {
  mime::Piece piece;  ///< of a unique type with the first piece alone
  /// False: the counter could not be asked. Its sums mean nothing; it is not zero.
  bool known = false;
  /// By window of the need of its type; empty if it is not known.
  std::vector<features::Sums> sums = {};
  /// The windows of which nothing was counted for certain, because a file of then is damaged;
  /// empty = none.
  std::vector<bool> lost = {};
  bool said_known = false;  ///< what people said is in the sums
};

/// What the counters say of a message: how things were before it.
struct CounterFacts {
  std::shared_ptr<const features::CounterNeeds> needs;  ///< what was asked; null = nothing
  std::vector<PieceCounts> pieces;                      ///< of the types that are needed
  bool left_out = false;  ///< the message has pieces that are not here: a bound was met
  Duration time{};        ///< of the question; 0 = nothing was asked
};

/// One hash of a message, looked up in the storage of one rule, and the answer.
struct Lookup {
  enum class Outcome : std::uint8_t {
    kHit,
    kMiss,
    kRefused,      ///< the server refused: `status`
    kTimeout,      ///< no answer within the deadline
    kUnreachable,  ///< the server or store could not be asked: `error`
  };

  std::string rule;
  std::uint32_t rule_index = 0;  ///< into Settings::rules
  std::string server;            ///< "local", or the remote's "192.0.2.1:11335"
  mime::PartHash hash;           ///< the hash, and the part that it is of
  Outcome outcome = Outcome::kMiss;
  float probability = 0;  ///< above 0.5 for a hit
  storage::Match match;   ///< empty unless it is a hit
  std::int32_t status = 0;
  std::chrono::microseconds time{0};
  std::string error;

  /// What was found is only quoted by the message, forwarded or returned (PartHash::quoted). Not so
  /// the digest of a whole text of its body: it stands for the message's own words, too.
  [[nodiscard]] bool is_quoted() const;
  /// There is no answer whether the storage knows the hash.
  [[nodiscard]] bool failed() const {
    return outcome != Outcome::kHit && outcome != Outcome::kMiss;
  }
};

std::string_view to_string(Lookup::Outcome outcome);  ///< "hit" "miss" "refused" "timeout" ...

/// How much text a message has. An image without text is judged differently from one with text.
enum class TextAmount : std::uint8_t { kNone, kShort, kLong };

/// `bytes`: of the longest text of a message in its one-line form.
TextAmount amount_of_text(std::size_t bytes);

/// How long each part of a scan took; 0 if there was nothing to do.
struct ScanStages {
  Duration analysis{};  ///< taking the message apart
  Duration hashing{};   ///< of all rules
  Duration local{};     ///< all look-ups in the embedded store together
  Duration remote{};    ///< remote servers, from the first question to the last answer
};

/// Everything that a verdict may depend on. Only values: equal facts give equal verdicts.
struct Facts {
  std::vector<Lookup>
      lookups;  ///< by rule, then in the order of `in_order_of_value` (milter/judge/hash_lookups.h)
  std::size_t unasked = 0;  ///< look-ups left out because of `milter.lookups_max`
  TextAmount text = TextAmount::kNone;
  std::vector<std::string> defects;  ///< of the MIME structure
  bool incomplete = false;  ///< a bound of the analysis was reached: some parts were not looked at
  std::uint64_t bytes = 0;  ///< that were looked at
  std::size_t hashes = 0;   ///< number of different hashes of all rules
  bool stopped = false;     ///< the scan ended early: the other facts mean nothing
  bool truncated = false;   ///< the end of the message was not looked at
  std::chrono::microseconds time{0};
  ScanStages stages;
  features::FeatureValues features;
  features::MessageNames names;            ///< unknown if nothing needs them
  CounterFacts counters;                   ///< empty if nothing needs them
  std::shared_ptr<const ModelWord> model;  ///< null without a model
  /// The findings of each source, in the order in which they are shown: first the hits of the
  /// look-ups, then other sources, with `Findings::time`. Empty if the scan was stopped.
  std::vector<Findings> findings;

  [[nodiscard]] std::size_t failed() const;  ///< look-ups without an answer
};

}  // namespace shingled::milter::rules
