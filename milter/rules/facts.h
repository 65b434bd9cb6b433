#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "milter/rules/evidence.h"
#include "mime/analyze.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::rules {

/// One hash of a message, asked of one rule's storage, and what came back.
struct Lookup {
  enum class Outcome : std::uint8_t {
    kHit,
    kMiss,
    kRefused,      ///< the server said no: `status`
    kTimeout,      ///< no answer within the deadline
    kUnreachable,  ///< it could not be asked: `error`
  };

  std::string rule;
  std::uint32_t rule_index = 0;  ///< into Settings::rules
  std::string server;            ///< "local", or the remote's "192.0.2.1:11335"
  mime::PartHash hash;           ///< what was asked, and of which part
  Outcome outcome = Outcome::kMiss;
  float probability = 0;  ///< above 0.5 for a hit
  storage::Match match;   ///< of a hit; else empty
  std::int32_t status = 0;
  std::chrono::microseconds time{0};
  std::string error;

  /// The storage never said whether it knows the hash.
  [[nodiscard]] bool failed() const {
    return outcome != Outcome::kHit && outcome != Outcome::kMiss;
  }
};

std::string_view to_string(Lookup::Outcome outcome);  ///< "hit" "miss" "refused" "timeout" ...

/// How much a reader has to read: an image without text is judged differently from one beside it.
enum class TextAmount : std::uint8_t { kNone, kShort, kLong };

/// From the longest text of a message in its one-line form.
TextAmount amount_of_text(std::size_t bytes);

/// How long each part of a scan took; none where nothing was to do.
struct ScanStages {
  Duration analysis{};  ///< taking the message apart
  Duration hashing{};   ///< of all rules
  Duration local{};     ///< look-ups in the embedded store, all together
  Duration remote{};    ///< of remote servers, from the first question to the last answer
};

/// All that a verdict may know about a message. Pure values: equal facts give equal verdicts.
struct Facts {
  std::vector<Lookup> lookups;  ///< in the order of rules, then as asked (lookup_order.h)
  std::size_t unasked = 0;      ///< look-ups beyond `milter.lookups_max`
  TextAmount text = TextAmount::kNone;
  std::vector<std::string> defects;  ///< of the MIME structure
  bool incomplete = false;           ///< a bound of the analysis was met: parts were not looked at
  std::uint64_t bytes = 0;           ///< looked at
  std::size_t hashes = 0;            ///< different ones, over all rules
  bool stopped = false;              ///< the scan was ended early: the rest says nothing
  bool truncated = false;            ///< the message was longer than what was looked at
  std::chrono::microseconds time{0};
  ScanStages stages;
  /// What each source makes of it, in the order in which it is shown: hits of the look-ups first,
  /// then other sources (`Findings::time` is theirs). Empty for a scan that was stopped.
  std::vector<Findings> findings;

  [[nodiscard]] std::size_t failed() const;  ///< look-ups without an answer
};

}  // namespace shingled::milter::rules
