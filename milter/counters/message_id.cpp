#include "milter/counters/message_id.h"

#include <algorithm>
#include <string>

#include "config/base/ascii.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::milter::counters {

std::string_view message_id_of(std::span<const mime::HeaderField> fields) {
  for (const mime::HeaderField& field : fields) {
    if (!ascii::equal_ignoring_case(field.name, "Message-ID")) continue;
    if (const auto id = ascii::trim_space(field.value); !id.empty()) return id;
  }
  return {};
}

std::uint64_t history_id(const CounterKeyBytes& site, std::string_view message_id) {
  const std::string_view id = ascii::trim_space(message_id);
  if (id.empty()) return 0;
  // No type of pieces has this number, so that it is the shingle of no piece.
  constexpr std::string_view kPrefix("\xFF\xFFmessage-id ", 13);
  const std::uint64_t name = fingerprint::siphash(site, std::string(kPrefix).append(id));
  return std::max<std::uint64_t>(name, 1);
}

}  // namespace shingled::milter::counters
