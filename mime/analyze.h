#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
#include "mime/fingerprint/shingles.h"

namespace shingled::mime {

enum class PartKind : std::uint8_t {
  kText,
  kHtml,
  kHtmlStructure,
  kAttachment,
  kImage,
  kPdfScript,  ///< a script in an attachment
  kRobust
};
enum class HashMethod : std::uint8_t { kShingles, kDirect };

/// Where a reader meets a part, the most telling place first.
enum class PartPlace : std::uint8_t {
  kBody,        ///< the visible body, in each of its alternatives (mime/message/part_roles.h)
  kText,        ///< other texts: footers, attached texts, texts of attached messages
  kAttachment,  ///< also an image
  kArchive
};

/// One hash of one part, as a rule looks it up in the storage.
struct PartHash {
  std::string part;         ///< IMAP section number ("1.2"); "" is the top multipart
  std::uint32_t index = 0;  ///< of the MIME part in pre-order, multiparts counted, from 0
  PartKind kind = PartKind::kText;
  PartPlace place = PartPlace::kText;
  HashMethod method = HashMethod::kDirect;
  HashAlgorithm algorithm = HashAlgorithm::kMumhash;
  std::uint64_t words = 0;  ///< kept words of a text, else 0
  std::uint64_t bytes = 0;  ///< of a text: its one-line form; else the decoded body
  Fingerprint fingerprint;
  /// Of a text of the body: many senders write such a text (RobustText::is_common()), so a similar
  /// text need not be the same message.
  bool common = false;
  std::uint32_t own_words = 0;  ///< of a text of the body: words few others use, up to 24
  /// Another message says it, which this one quotes, forwards or returns (HASHING.md section 17):
  /// the hash of a text with more quoted words than its own, or of a part of another message.
  bool quoted = false;
  friend bool operator==(const PartHash&, const PartHash&) = default;
};

/// "text" "html" "html_structure" "attachment" "image" "pdf_script" "robust"
std::string_view to_string(PartKind kind);
std::string_view to_string(HashMethod method);        ///< "shingles" "direct"
std::string_view to_string(HashAlgorithm algorithm);  ///< "mumhash" "siphash" "xxhash" "fasthash"

/// A message taken apart once for any number of rules. Its texts are read one by one while it is
/// hashed. Holds views into the message bytes, which must outlive it.
/// Threads: immutable, any thread.
class Analysis {
 public:
  struct Parts;  ///< see mime/analysis_parts.h
  explicit Analysis(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] const Parts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const Parts> parts_;
};

/// Takes a message apart.
///
/// Input:   raw RFC 5322 bytes, CRLF or LF, possibly malformed. `stop` ends the analysis early, as
///          if the work limit had been reached.
/// Does not: decrypt, check signatures, unpack archives (mime/container does), follow links or read
///          texts in pictures.
/// Errors:  none; malformed mail gives a value and a list of defects. Limits: `options`.
/// Threads: stateless.
/// Cost:    one pass over the bytes; decoded bodies take at most as much memory as the message.
/// Source: HASHING.md 5-12.
Analysis analyze(std::string_view message, const MimeOptions& options, std::stop_token stop = {});

/// The options of a rule and the keys derived from them. Deriving takes 38 BLAKE2b passes, so it is
/// done once per rule, not per message.
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

/// The hashes of one message for several rules.
struct MessageHashes {
  std::vector<std::vector<PartHash>> of_rule;  ///< each in the order of the parts
  /// Malformations and reached limits in the order found, each a fixed phrase ("depth limit
  /// reached").
  std::vector<std::string> defects;
  std::size_t longest_text_bytes = 0;  ///< of the longest one-line form; 0 without texts
  /// A limit was reached, so some parts have no hashes.
  bool incomplete = false;
  std::uint64_t work_left = 0;  ///< of `mime.work_max` (work_meter.h)
};

struct TextStages;  ///< see mime/analysis_parts.h

/// Is shown each text of a message while it is hashed, with the index of its part, so that others
/// who need the text do not read it again. The text is gone afterwards.
using TextObserver = std::function<void(std::size_t part, const TextStages& text)>;

/// The hashes that each rule makes of a message, in the order of its parts; equal digests once
/// (HASHING.md section 4).
///
/// Reads the visible body first, then other texts, attachments, archives, so that the least telling
/// parts are left out when the work limit (`mime.work_max`) is reached. Keeps one text in memory at
/// a time.
/// Errors:  none.
/// Threads: stateless.
MessageHashes hash_message(const Analysis& analysis, std::span<const HashRule> rules,
                           const TextObserver& observer = {});

/// The same for a single rule. Sets `common` and `own_words`, and `quoted` of texts, only if the
/// rule makes robust hashes.
std::vector<PartHash> hash_message(const Analysis& analysis, const HashRule& rule);

}  // namespace shingled::mime
