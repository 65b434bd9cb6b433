#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace shingled::storage::buckets {

inline constexpr std::size_t kBucketKeyMax = 120;  ///< bytes of a key
inline constexpr std::size_t kBucketTypeMax = 32;  ///< bytes of the type in a key
inline constexpr std::size_t kBucketPartMax = 56;  ///< bytes of a part in a key
inline constexpr std::size_t kNoBucketTag = ~0UL;  ///< no part is the tag

/// Makes the name of a bucket, `TYPE:PART:PART...`. It consists of printable ASCII without blanks,
/// for any bytes in the parts.
///
/// A byte that is a control byte, a blank, above 0x7e or one of `% : { } ~` is written `%XX`. If a
/// part (or the type) is then too long, it is cut and ends in `~` and 26 characters: 128 bits of
/// BLAKE2b of the whole part. A key that is too long is shortened in the same way. `~` is used for
/// nothing else, so different types and parts have different keys, unless somebody finds two texts
/// with the same 128 bits.
///
/// The part number `tag` is put in braces and is never cut off. In a Redis cluster keys with the
/// same text in braces are on one server, so a script can change them together. Choose the part
/// that the buckets of a message share (the recipient, where limits are per recipient).
///
/// Threads: stateless.
/// Cost: O(input), and one hash for each part or key that is too long.
std::string make_bucket_key(std::string_view type, std::span<const std::string_view> parts,
                            std::size_t tag = kNoBucketTag);

/// The type of a key that `make_bucket_key` made.
std::string_view bucket_type(std::string_view key);

}  // namespace shingled::storage::buckets
