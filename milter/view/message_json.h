#pragma once

#include <string>
#include <string_view>

#include "milter/history/message_search.h"
#include "milter/rules/evidence.h"
#include "milter/view/json.h"
#include "mime/fingerprint/piece_type.h"

namespace shingled::milter::view {

// Messages of the history, for programs. All are pure.

/// "counts" "spared" "no effect" "in shadow"
std::string_view effect_text(rules::Evidence::Effect effect);
/// The name of a type; "type 200" of one that this program does not know.
std::string type_text(PieceType type);

/// {"id", "time", "queue_id", "action", "score", "label", "can_report", "evidence"}, null where it
/// is not known: "sender", "recipients", "subject", and what was special about the verdict.
Json message_json(const history::FoundMessage& message);
/// With "features", "windows" (of the counters) and "counters".
Json whole_message_json(const history::FoundMessage& message);

}  // namespace shingled::milter::view
