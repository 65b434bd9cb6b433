#include "milter/view/message_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/byte_reader.h"
#include "milter/history/message_record.h"
#include "milter/replay/history_span.h"
#include "milter/view/feature_json.h"
#include "storage/counters/counter.h"

namespace shingled::milter::view {

using history::MessageRecord;
using rules::Evidence;

namespace {

Json text_or_null(BytesView text) {
  return text.empty() ? Json(nullptr) : Json(std::string(as_text(text)));
}

/// The lines of a text; null if it is empty.
Json lines_or_null(BytesView bytes) {
  if (bytes.empty()) return nullptr;
  Json out = Json::array();
  std::string_view text = as_text(bytes);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string_view effect_text(Evidence::Effect effect) {
  switch (effect) {
    case Evidence::Effect::kCounts:
      return "counts";
    case Evidence::Effect::kSpared:
      return "spared";
    case Evidence::Effect::kDropped:
      return "no effect";
    case Evidence::Effect::kTried:
      return "in shadow";
  }
  return "counts";
}

std::string type_text(PieceType type) {
  const PieceTypeRow* row = find_piece_type(static_cast<std::uint64_t>(type));
  return row == nullptr ? fmt::format("type {}", static_cast<unsigned>(type))
                        : std::string(row->name);
}

Json message_json(const history::FoundMessage& message) {
  const auto& [row, record] = message;
  Json evidence = Json::array();
  for (const history::EvidenceRecord& item : record.evidence) {
    evidence.push_back({{"symbol", item.symbol},
                        {"score", item.score},
                        {"effect", effect_text(item.effect)},
                        {"policy", item.policy}});
    if (!item.place.empty()) evidence.back()["place"] = item.place;
  }
  return {{"id", history::message_name(row)},
          {"time", replay::moment_text(row.time)},
          {"queue_id", std::string(as_text(row.queue_id))},
          {"action", history::action_text(row.action)},
          {"score", record.score},
          {"label", row.label == 0 ? Json(nullptr) : Json(history::label_text(row.label))},
          {"sender", text_or_null(row.sender_name)},
          {"recipients", lines_or_null(row.recipients)},
          {"subject", text_or_null(row.subject)},
          {"can_report", row.is_kept},
          {"failed", record.failed},
          {"unseen", record.unseen},
          {"incomplete", record.incomplete},
          {"dry_run", record.dry_run},
          {"evidence", evidence}};
}

Json whole_message_json(const history::FoundMessage& message) {
  const MessageRecord& record = message.record;
  Json out = message_json(message);
  out["features"] = features_json(record.features);
  Json asked = Json::array();
  for (const auto& window : record.windows) asked.push_back(to_string(window));
  out["windows"] = std::move(asked);
  Json counters = Json::array();
  const std::size_t windows = record.windows.size();
  for (std::size_t i = 0; i < record.pieces.size(); ++i) {
    Json sums = Json::object();
    for (std::size_t w = 0; w < windows; ++w)
      sums[to_string(record.windows[w])] = sums_json(record.sums[i * windows + w]);
    const bool known = record.pieces[i].known;
    counters.push_back({{"type", type_text(record.pieces[i].type)},
                        {"piece", fmt::format("{:08x}", record.pieces[i].shingle)},
                        {"known", known},
                        {"sums", known ? sums : Json(nullptr)}});
  }
  out["counters"] = counters;
  return out;
}

}  // namespace shingled::milter::view
