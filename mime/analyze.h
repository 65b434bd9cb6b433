#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/hash_options.h"
#include "config/options/mime_options.h"
#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/robust_shingles.h"

namespace shingled::mime {

enum class PartKind : std::uint8_t {
  kText,
  kHtml,
  kHtmlStructure,
  kAttachment,
  kImage,
  kPdfScript,  ///< one of the scripts in an attachment
  kRobust
};
enum class HashMethod : std::uint8_t { kShingles, kDirect };

/// What a part is to whoever opens the message, the most telling first.
enum class PartPlace : std::uint8_t {
  kBody,        ///< the visible body, in each of its alternatives (mime/message/body_texts.h)
  kText,        ///< any other text: footers, attached texts, texts of attached messages
  kAttachment,  ///< also an image
  kArchive
};

/// One hash of one part: what a rule asks the storage about.
struct PartHash {
  std::string part;         ///< IMAP section number ("1.2"); "" is the top multipart
  std::uint32_t index = 0;  ///< of the MIME part in pre-order, multiparts counted, from 0
  PartKind kind = PartKind::kText;
  PartPlace place = PartPlace::kText;
  HashMethod method = HashMethod::kDirect;
  HashAlgorithm algorithm = HashAlgorithm::kMumhash;
  std::uint64_t words = 0;  ///< kept words of a text, else 0
  std::uint64_t bytes = 0;  ///< text: bytes of its one-line form; else decoded body bytes
  Fingerprint fingerprint;
  /// Of a text of the body: many senders write alike (mime/text/robust_words.h, is_common), so that
  /// what looks like it need not be the same; and how many of its words are its own, up to 24.
  bool common = false;
  std::uint32_t own_words = 0;
  friend bool operator==(const PartHash&, const PartHash&) = default;
};

/// "text" "html" "html_structure" "attachment" "image" "pdf_script" "robust"
std::string_view to_string(PartKind kind);
std::string_view to_string(HashMethod method);        ///< "shingles" "direct"
std::string_view to_string(HashAlgorithm algorithm);  ///< "mumhash" "siphash" "xxhash" "fasthash"

/// A message taken apart once, for any number of rules: its parts and what they are. Its texts are
/// read one by one while it is hashed. Holds views into the message bytes, which must outlive it.
/// Threads: immutable, any thread.
class Analysis {
 public:
  struct Parts;  ///< the inside; see mime/analysis_parts.h
  explicit Analysis(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] const Parts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const Parts> parts_;
};

/// Takes a message apart.
///
/// Input:   raw RFC 5322 bytes, CRLF or LF, of any quality. `stop`: ends it early, as if its work
///          had been spent. Output: see Analysis.
/// Errors:  none; malformed mail is a value and a list of defects. Bounded by `options`.
/// Threads: stateless.
/// Cost: one pass over the bytes; memory for decoded bodies, together no more than the message has.
/// Source: HASHING.md 5-12.
Analysis analyze(std::string_view message, const MimeOptions& options, std::stop_token stop = {});

/// How a rule hashes: its options, and the keys derived from them once instead of for each message
/// (38 BLAKE2b passes).
/// Threads: immutable, any thread.
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

/// What a message says to each of some rules.
struct MessageHashes {
  std::vector<std::vector<PartHash>> of_rule;  ///< each in the order of the parts
  /// What was malformed or beyond a bound, in the order found, each a short fixed phrase ("depth
  /// limit reached").
  std::vector<std::string> defects;
  std::size_t longest_text_bytes = 0;  ///< of a part, in its one-line form; 0 = nothing to read
  /// Parts were not looked at, because a bound was met: what they would have said is not known.
  bool incomplete = false;
  std::uint64_t work_left = 0;  ///< of `mime.work_max` (work_meter.h)
};

/// The hashes each rule makes of a message, in the order of its parts; equal digests once
/// (HASHING.md section 4).
///
/// The visible body is read first, then other texts, attachments, archives: what is left out when
/// the work of the message is spent (`mime.work_max`) is what tells least. Each text is dropped
/// before the next is read.
/// Errors: none.
/// Threads: stateless.
MessageHashes hash_message(const Analysis& analysis, std::span<const HashRule> rules);

/// The same for one rule that is looked at by itself: without `common` and `own_words`, unless the
/// rule makes robust hashes.
std::vector<PartHash> hash_message(const Analysis& analysis, const HashRule& rule);

}  // namespace shingled::mime
