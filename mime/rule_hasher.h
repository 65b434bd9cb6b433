#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "mime/text/robust_words.h"

namespace shingled::mime {

/// Work of a digest, for each byte (tests/bench/bench_fingerprint.cpp).
inline constexpr Steps kStepsADigestedByte = 2;

/// Makes the hashes that one rule wants of one message. Parts are named by their index in
/// `Analysis::Parts`; in what order they come does not matter.
/// Threads: one. `parts` and `rule` must outlive it.
class RuleHasher {
 public:
  RuleHasher(const Analysis::Parts& parts, const HashRule& rule)
      : parts_(parts),
        options_(rule.options()),
        keys_(rule.keys()),
        robust_keys_(rule.robust_keys()) {}

  [[nodiscard]] bool wants_robust() const { return options_.robust && options_.text_hashes; }

  /// The hashes of a text part. Leaves out what `meter` refuses.
  void hash_text(std::size_t i, const TextWords& words, const HtmlText& html, WorkMeter& meter);

  /// The robust fingerprint of a text of the body; `text` must be telling.
  void hash_robust(std::size_t i, const TextWords& words, const RobustText& text);

  /// Sets PartHash::common and PartHash::own_words of the hashes of part `i` made so far.
  void set_words(std::size_t i, const RobustText& text, bool common);

  /// Sets PartHash::quoted of the hashes of part `i` made so far.
  void set_quoted(std::size_t i);

  /// What the rule wants of a part that is not a text: the decision table of HASHING.md 4.2.
  [[nodiscard]] std::optional<PartKind> wanted_data(std::size_t i) const;

  /// A script in the attachment `i`.
  void add_script(std::size_t i, const Digest& digest);

  /// An attachment, image or archive.
  void add_data(std::size_t i, PartKind kind, PartPlace place, const Digest& digest);

  /// The hashes in the order of the parts, robust ones last. Equal digests once, except those of
  /// structures. The object is empty afterwards.
  std::vector<PartHash> take();

 private:
  /// Adds the structure of an HTML part, if there is enough of it (HASHING.md section 13).
  void hash_structure(std::size_t i, const TextWords& words, const HtmlText& html,
                      WorkMeter& meter);

  void hash_words(std::size_t i, const TextWords& words, WorkMeter& meter);

  [[nodiscard]] std::string_view subject() const;

  [[nodiscard]] bool has_words_enough(const TextWords& words) const;

  /// Whether to hash a text at all.
  [[nodiscard]] bool is_wanted_text(std::size_t i, const TextWords& words) const;

  /// rspamd 4 counts a word of Japanese, Chinese or Korean as three.
  [[nodiscard]] bool is_dense(const TextWords& words) const;

  [[nodiscard]] std::size_t words_min(const TextWords& words) const;

  /// The length check of HASHING.md 4.2.
  [[nodiscard]] bool passes_length(std::size_t i) const;
  [[nodiscard]] bool passes_text_length(std::size_t i, const TextWords& words) const;
  [[nodiscard]] bool is_long_enough(std::size_t i, double size) const;

  [[nodiscard]] bool is_large_enough(const ImageInfo& image) const;

  [[nodiscard]] bool wants_type(std::size_t i) const;

  [[nodiscard]] PartHash start(std::size_t i, PartKind kind, HashMethod method,
                               PartPlace place) const;
  [[nodiscard]] PartHash start_text(std::size_t i, PartKind kind, HashMethod method,
                                    const TextWords& words) const;

  const Analysis::Parts& parts_;
  const HashOptions& options_;
  const fingerprint::HashKeys& keys_;
  const fingerprint::RobustKeys& robust_keys_;
  std::vector<PartHash> hashes_;
};

}  // namespace shingled::mime
