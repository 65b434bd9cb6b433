#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shingled {

/// The word hash of which shingles are made (HASHING.md section 2). The default of our built-in
/// rule is mumhash.
enum class HashAlgorithm : std::uint8_t { kMumhash, kSiphash, kXxhash, kFasthash };

/// The version of rspamd whose hashes are made, where versions differ (HASHING.md section 15).
enum class Compat : std::uint8_t { kRspamd3, kRspamd4 };

/// Which words the tokenizer makes: the locale form of HASHING.md 10.1.
enum class WordForm : std::uint8_t { kPosix, kRoot };

/// Part of a rule: how it makes hashes of a message. Sender and storage must agree on every field,
/// or nothing matches.
struct HashOptions {
  HashAlgorithm algorithm = HashAlgorithm::kMumhash;
  std::string fuzzy_key{};           ///< text; empty = the built-in "rspamd"
  std::string fuzzy_shingles_key{};  ///< text; empty = the built-in "rspamd"
  std::uint32_t min_length = 64;     ///< words from which a text has shingles, 32 to 1000000
  /// Smallest body for a direct or data hash, 0 to 1G; 0 = no limit.
  std::uint64_t min_bytes = 1024;
  double text_multiplier = 4.0;  ///< factor on the size of a text there, 0.01 to 1000
  bool text_hashes = true;       ///< hash the words of texts, plain and HTML
  bool text_shingles = true;
  bool short_text_direct_hash = true;
  bool no_subject = false;  ///< leave the subject out of direct hashes
  bool skip_images = false;
  bool scan_archives = true;
  std::uint32_t min_width = 500;   ///< pixels, 0 to 100000, for images whose size is known
  std::uint32_t min_height = 500;  ///< pixels, 0 to 100000
  std::vector<std::string> mime_types = {"*"};  ///< globs over type/subtype, for attachments
  bool html_shingles = false;        ///< structure hash of HTML parts (HASHING.md section 13)
  std::uint32_t min_html_tags = 10;  ///< elements from which there is one, 1 to 1000000
  bool ignore_link_domains = false;
  /// Our own fingerprint of the body beside the compatible hashes: its words without the parts that
  /// spammers vary (mime/text/robust_words.h). No other program makes it.
  bool robust = false;

  friend bool operator==(const HashOptions&, const HashOptions&) = default;
};

}  // namespace shingled
