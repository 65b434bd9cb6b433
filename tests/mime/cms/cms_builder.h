#pragma once

#include <string>
#include <string_view>

namespace shingled::testing {

// CMS structures (RFC 5652) for tests, in DER and in BER.

enum class Lengths { kDefinite, kIndefinite };

/// A BER element. `tag` is the first byte, with class and "constructed".
inline std::string element(unsigned char tag, std::string_view content,
                           Lengths lengths = Lengths::kDefinite) {
  std::string out(1, static_cast<char>(tag));
  if (lengths == Lengths::kIndefinite) {
    out += '\x80';
    return (out += content).append(2, '\0');
  }
  if (content.size() < 0x80) {
    out += static_cast<char>(content.size());
  } else {
    out += '\x84';
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      out += static_cast<char>(content.size() >> shift & 0xffU);
    }
  }
  return out += content;
}

/// The object identifier 1.2.840.113549.1.7.`last`: 1 data, 2 signed, 3 enveloped.
inline std::string pkcs7_type(char last) {
  return element(0x06, "\x2a\x86\x48\x86\xf7\x0d\x01\x07" + std::string(1, last));
}

/// SignedData around the element `octets`, without certificates and signers.
inline std::string signed_around(std::string_view octets, Lengths lengths = Lengths::kDefinite,
                                 char content_type = 1) {
  const std::string algorithm = element(0x30, element(0x06, "\x2a\x03"), lengths);
  const std::string inside = pkcs7_type(content_type) + element(0xa0, octets, lengths);
  const std::string data = element(0x02, "\x01") + element(0x31, algorithm, lengths) +
                           element(0x30, inside, lengths) + element(0x31, "");
  return element(0x30, pkcs7_type(2) + element(0xa0, element(0x30, data, lengths), lengths),
                 lengths);
}

/// `content`, signed.
inline std::string signed_data(std::string_view content, Lengths lengths = Lengths::kDefinite) {
  return signed_around(element(0x04, content), lengths);
}

}  // namespace shingled::testing
