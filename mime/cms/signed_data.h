#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shingled::mime {

/// What a CMS structure has inside.
struct SignedData {
  enum class Kind : std::uint8_t {
    kOther,   ///< encrypted, compressed, only certificates, or no CMS at all
    kBroken,  ///< SignedData whose content is malformed or cut off
    kSigned
  };
  Kind kind = Kind::kOther;
  std::string_view content;  ///< what was signed: a view of the input or of `storage`
};

/// Octet strings in octet strings; OpenSSL reads as many.
inline constexpr std::size_t kOctetStringDepthMax = 5;

/// Finds the content of an opaque-signed message ("smime.p7m", RFC 8551 3.5.2). Nothing is
/// verified: who signed a spam message does not matter.
///
/// It walks down to the content and reads no further. Parsers of the whole structure, OpenSSL's and
/// GnuTLS', make objects of each certificate and signer that a stranger writes, in 26 times as much
/// memory.
/// Input:   any bytes: DER, or BER with indefinite lengths and octet strings in pieces, as OpenSSL
///          and Outlook write it. What follows the structure is ignored.
/// Output:  content of several pieces is put together in `storage`.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    linear in the bytes up to the end of the content, about 5 ns each at most.
SignedData read_signed_data(std::string_view cms, std::string& storage);

}  // namespace shingled::mime
