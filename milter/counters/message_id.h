#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mime/fingerprint/piece_shingle.h"
#include "mime/model/mail.h"

namespace shingled::milter::counters {

/// The first Message-ID of a header that is not blank, without the blanks around it; empty if there
/// is none. `fields`: of the header.
/// Threads: stateless.
std::string_view message_id_of(std::span<const mime::HeaderField> fields);

/// The id of a message in the history: a keyed hash of its Message-ID without the blanks around it;
/// 0 for a blank one.
/// Threads: stateless.
std::uint64_t history_id(const CounterKeyBytes& site, std::string_view message_id);

}  // namespace shingled::milter::counters
