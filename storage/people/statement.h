#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/counters/counter.h"
#include "storage/sqlite/people/people_table.h"

namespace shingled::storage::people {

using sqlite::ReportKind;
using sqlite::Standing;
/// What one person says of one message.
using Statement = sqlite::PeopleRow;

/// A sign of a message: a counter's key in 64 bits. `proved`: the From of the message was proved.
/// What is said of mail that anybody can have sent says nothing about a sender who proves himself,
/// so the two have different signs.
std::uint64_t sign_of(const counters::CounterKey& key, bool proved);

/// The most signs of a statement.
inline constexpr std::size_t kSignsMax = 1000;

/// A statement as it is found by one of its signs.
struct Voice {
  std::uint64_t person = 0;
  std::uint32_t time = 0;  ///< Unix seconds
  ReportKind kind = ReportKind::kSpam;
  Standing standing = Standing::kNewcomer;
  friend auto operator<=>(const Voice&, const Voice&) = default;
};
using Voices = std::vector<Voice>;

/// The most voices of a sign that an answer has. More people change nothing any more.
inline constexpr std::size_t kVoicesMax = 1000;
/// The most of newcomers among them, so that whoever makes up names does not push out residents.
inline constexpr std::size_t kNewcomerVoicesMax = 500;
static_assert(kNewcomerVoicesMax < kVoicesMax);

}  // namespace shingled::storage::people
