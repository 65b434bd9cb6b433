#pragma once

#include <functional>
#include <span>

#include "config/options/counter_options.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/piece_list.h"

namespace shingled::mime {

/// Adds the digests of texts, robust texts and structures, as hexadecimal digits, except those of
/// what is quoted.
/// Input:   hashes of one rule, the same one for all messages.
/// Threads: stateless.
void add_hash_pieces(std::span<const PartHash> hashes, PieceList& pieces);

/// Adds names, kinds and checksums of attachments and images, and of the files in containers at all
/// depths. Not those that are the same in every document of their kind (own_bytes()), and of office
/// documents no names. A text is an attachment if it has a name or says so. Nothing of the messages
/// that it forwards or returns, nor the pictures of a text that mostly quotes.
///
/// Input:   `hashes` may have the checksums already. `out_of_time` ends the reading of containers.
/// Errors:  none; what `meter` refuses is left out, and the list notes it.
/// Threads: any.
/// Cost:    a checksum of each part that `hashes` do not have; opening containers within
///          `options.containers`, paid to `meter`.
void add_attachment_pieces(const Analysis& analysis, std::span<const PartHash> hashes,
                           const PieceOptions& options, const std::function<bool()>& out_of_time,
                           WorkMeter& meter, PieceList& pieces);

}  // namespace shingled::mime
