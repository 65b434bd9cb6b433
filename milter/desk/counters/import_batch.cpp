#include "milter/desk/counters/import_batch.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace shingled::milter::desk {

Result<storage::counters::CounterKey> read_import_line(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{ErrorCode::kInvalid, "not an object in JSON"};
  const auto name = json.find("name");
  const auto count = json.find("count");
  if (name == json.end() || !name->is_string()) {
    return Error{ErrorCode::kInvalid, "needs \"name\", a text"};
  }
  const auto parsed = storage::counters::parse_count_name(name->get_ref<const std::string&>());
  if (!parsed) {
    return Error{
        ErrorCode::kInvalid,
        "the name is not that of a count, such as mass_in_5791f8cac2b7d8dd_14_10m_2831519"};
  }
  if (count == json.end() || !count->is_number_unsigned() ||
      count->get<std::uint64_t>() > storage::counters::kCountMax) {
    return Error{ErrorCode::kInvalid, "needs \"count\", a whole number from 0 to 2^63 - 1"};
  }
  return parsed->key;
}

bool is_mark_line(std::string_view line) { return line.starts_with("{\"key\":"); }

Status ImportBatches::set_mark(std::string_view line) {
  Status sent = finish();
  mark_ = std::string(line) + '\n';
  return sent;
}

Status ImportBatches::add(const storage::counters::CounterKey& key, std::string_view line,
                          std::uint64_t number) {
  if (batch_.lines.size() >= kBytesMost && last_ != key) {
    if (Status sent = finish(); !sent) return sent;
  }
  if (batch_.lines.empty()) batch_.first = number;
  batch_.lines += line;
  batch_.lines += '\n';
  batch_.next = number + 1;
  last_ = key;
  return {};
}

Status ImportBatches::finish() {
  if (batch_.lines.empty()) return {};
  batch_.lines.insert(0, mark_);
  return send_(std::exchange(batch_, {}));
}

}  // namespace shingled::milter::desk
