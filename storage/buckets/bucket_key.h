#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace shingled::storage::buckets {

inline constexpr std::size_t kBucketKeyMax = 120;  ///< bytes of a key
inline constexpr std::size_t kBucketTypeMax = 32;  ///< bytes of a type in it
inline constexpr std::size_t kBucketPartMax = 56;  ///< bytes of a part in it
inline constexpr std::size_t kNoBucketTag = ~0UL;  ///< no part is the tag

/// The name of a bucket: `TYPE:PART:PART...`, printable ASCII without blanks, whatever the parts
/// are.
///
/// A byte that is a control byte, a blank, above 0x7e or one of `% : { } ~` is written `%XX`. A
/// part (or type) that is too long then is cut and ends in `~` and 26 characters that stand for
/// 128 bits of BLAKE2b of all of it; so does a key that is too long as a whole. As `~` stands
/// nowhere else, different types and parts have different keys, unless somebody finds two texts of
/// the same bits.
///
/// The part number `tag` stands in braces and is never cut off. In a Redis cluster keys with the
/// same text in braces live on one server, so a script can change them together: the part that the
/// buckets of a message share should have them (the recipient, where judged by recipient).
///
/// Threads: stateless.
/// Cost: O(input), a hash for what is too long.
std::string make_bucket_key(std::string_view type, std::span<const std::string_view> parts,
                            std::size_t tag = kNoBucketTag);

/// The type of a key that `make_bucket_key` made.
std::string_view bucket_type(std::string_view key);

}  // namespace shingled::storage::buckets
