#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/hash_options.h"
#include "config/options/mime_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/hash_keys.h"
#include "mime/fingerprint/robust_shingles.h"

namespace shingled::mime {

enum class PartKind : std::uint8_t { kText, kHtml, kHtmlStructure, kAttachment, kImage, kRobust };
enum class HashMethod : std::uint8_t { kShingles, kDirect };

/// One hash of one part: what a rule asks the storage about.
struct PartHash {
  std::string part;         ///< IMAP section number ("1.2"); "" is the top multipart
  std::uint32_t index = 0;  ///< of the MIME part in pre-order, multiparts counted, from 0
  PartKind kind = PartKind::kText;
  HashMethod method = HashMethod::kDirect;
  HashAlgorithm algorithm = HashAlgorithm::kMumhash;
  std::uint64_t words = 0;  ///< kept words of a text, else 0
  std::uint64_t bytes = 0;  ///< text: bytes of its one-line form; else decoded body bytes
  Fingerprint fingerprint;
  friend bool operator==(const PartHash&, const PartHash&) = default;
};

/// "text" "html" "html_structure" "attachment" "image" "robust"
std::string_view to_string(PartKind kind);
std::string_view to_string(HashMethod method);        ///< "shingles" "direct"
std::string_view to_string(HashAlgorithm algorithm);  ///< "mumhash" "siphash" "xxhash" "fasthash"

/// A message taken apart once, for any number of rules: parts, decoded texts, words, defects.
/// Holds views into the message bytes, which must outlive it.
/// Threads: immutable, any thread.
class Analysis {
 public:
  struct Parts;  ///< the inside; see mime/message and mime/text
  explicit Analysis(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] const Parts& parts() const { return *parts_; }
  /// What was malformed or beyond a bound, in the order found, each a short fixed phrase ("depth
  /// limit reached").
  [[nodiscard]] const std::vector<std::string>& defects() const;
  /// Bytes of the longest text of a part in its one-line form; 0 = nothing to read.
  [[nodiscard]] std::size_t longest_text_bytes() const;

 private:
  std::shared_ptr<const Parts> parts_;
};

/// Takes a message apart.
///
/// Input:   raw RFC 5322 bytes, CRLF or LF, of any quality. Output: see Analysis.
/// Errors:  none; malformed mail is a value and a list of defects. Bounded by `options`.
/// Threads: stateless.   Cost: one pass over the bytes, then one over each text.   Source:
/// hashing.md 5-12.
Analysis analyze(std::string_view message, const MimeOptions& options);

/// How a rule hashes: its options, and the keys derived from them once instead of for each message
/// (38 BLAKE2b passes).   Threads: immutable, any thread.
class HashRule {
 public:
  explicit HashRule(HashOptions options = {})
      : options_(std::move(options)),
        keys_(fingerprint::derive_hash_keys(options_)),
        robust_keys_(fingerprint::derive_robust_keys(options_)) {}
  [[nodiscard]] const HashOptions& options() const { return options_; }
  [[nodiscard]] const fingerprint::HashKeys& keys() const { return keys_; }
  [[nodiscard]] const fingerprint::RobustKeys& robust_keys() const { return robust_keys_; }

 private:
  HashOptions options_;
  fingerprint::HashKeys keys_;
  fingerprint::RobustKeys robust_keys_;
};

/// The hashes one rule makes of a message, in the order of its parts; equal digests once
/// (hashing.md section 4). Errors: none.   Threads: stateless.
std::vector<PartHash> hash_message(const Analysis& analysis, const HashRule& rule);

}  // namespace shingled::mime
