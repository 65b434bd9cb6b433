#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "config/base/ascii.h"
#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/attachment/pdf_scripts.h"
#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/robust_shingles.h"
#include "mime/fingerprint/shingles.h"
#include "mime/message/sister_texts.h"
#include "mime/read_text.h"
#include "mime/text/html_structure.h"
#include "mime/text/robust_words.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kWordsMin = 32;  ///< below it shingles say nothing, whatever the rule wants
constexpr std::size_t kWordsMinDense = 12;  ///< for languages whose words say more
constexpr unsigned kDenseFactor = 3;

// What hashing costs (tests/bench/bench_fingerprint.cpp).
constexpr Steps kStepsAWord = 150;        // 32 shingles
constexpr Steps kStepsAWordSlow = 600;    // by SipHash
constexpr Steps kStepsAnElement = 2'500;  // with a URL of 2 KB
constexpr Steps kStepsADigest = 500;
constexpr Steps kStepsADigestedByte = 2;
constexpr Steps kStepsARobustByte = 15;

/// A glob of `*` and `?`, without case.
bool matches_glob(std::string_view text, std::string_view glob) {
  std::size_t at = 0;
  std::size_t in_glob = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (at < text.size()) {
    if (in_glob < glob.size() && glob[in_glob] == '*') {
      star = in_glob++;
      star_text = at;
    } else if (in_glob < glob.size() && (glob[in_glob] == '?' || ascii::to_lower(glob[in_glob]) ==
                                                                     ascii::to_lower(text[at]))) {
      ++in_glob;
      ++at;
    } else if (star != std::string_view::npos) {
      in_glob = star + 1;
      at = ++star_text;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', in_glob) == std::string_view::npos;
}

/// One rule's hashes of one message.
class RuleHasher {
 public:
  RuleHasher(const Analysis::Parts& parts, const HashRule& rule)
      : parts_(parts),
        options_(rule.options()),
        keys_(rule.keys()),
        robust_keys_(rule.robust_keys()) {}

  [[nodiscard]] bool wants_robust() const { return options_.robust && options_.text_hashes; }

  void hash_text(std::size_t i, const TextWords& words, const HtmlText& html, WorkMeter& meter) {
    // A text that is too short has no structure hash either, unless that is all there is.
    if (options_.text_hashes && !is_wanted_text(i, words)) return;
    if (options_.text_hashes) hash_words(i, words, meter);
    if (options_.html_shingles) hash_structure(i, words, html, meter);
  }

  /// Of a text of the body that says enough: a fingerprint in our own form.
  void hash_robust(std::size_t i, const TextWords& words, const RobustText& text) {
    PartHash hash = start_text(i, PartKind::kRobust, HashMethod::kShingles, words);
    hash.algorithm = HashAlgorithm::kFasthash;  // whatever the rule has
    hash.words = text.words.size();
    hash.fingerprint = fingerprint::robust_fingerprint(robust_keys_, text.words);
    hashes_.push_back(std::move(hash));
  }

  void set_words(std::size_t i, const RobustText& text, bool common) {
    for (PartHash& hash : hashes_) {
      if (hash.index != i) continue;
      hash.common = common;
      hash.own_words = static_cast<std::uint32_t>(text.own_words);
    }
  }

  /// What the rule wants of a part that is no text: the decision table of HASHING.md 4.2.
  [[nodiscard]] std::optional<PartKind> wanted_data(std::size_t i) const {
    const PartContent& content = parts_.contents[i];
    const bool image = content.kind == ContentKind::kImage;
    const bool attachment = content.kind == ContentKind::kAttachment;
    const bool archive = content.kind == ContentKind::kArchive;
    if (image && !options_.skip_images && is_large_enough(content.image) && passes_length(i)) {
      return PartKind::kImage;
    }
    if (archive && options_.scan_archives) return PartKind::kAttachment;
    if ((attachment || archive) && wants_type(i) && passes_length(i)) return PartKind::kAttachment;
    return std::nullopt;
  }

  void add_script(std::size_t i, const Digest& digest) {
    add_data(i, PartKind::kPdfScript, PartPlace::kAttachment, digest);
  }

  void add_data(std::size_t i, PartKind kind, PartPlace place, const Digest& digest) {
    PartHash hash = start(i, kind, HashMethod::kDirect, place);
    hash.bytes = parts_.mail.parts[i].body.size();
    hash.fingerprint.digest = digest;
    hashes_.push_back(std::move(hash));
  }

  /// In the order of the parts, our own form behind the others. A digest that is there already says
  /// nothing new, but for structures.
  std::vector<PartHash> take() {
    const auto order = [](const PartHash& hash) {
      return std::pair(hash.kind == PartKind::kRobust, hash.index);
    };
    std::stable_sort(hashes_.begin(), hashes_.end(),
                     [&](const PartHash& a, const PartHash& b) { return order(a) < order(b); });
    std::unordered_set<Digest, DigestHash> seen;
    const auto known = [&seen](const PartHash& hash) {
      return hash.kind != PartKind::kHtmlStructure && !seen.insert(hash.fingerprint.digest).second;
    };
    hashes_.erase(std::remove_if(hashes_.begin(), hashes_.end(), known), hashes_.end());
    return std::move(hashes_);
  }

 private:
  /// Of an HTML part with enough structure (HASHING.md section 13).
  void hash_structure(std::size_t i, const TextWords& words, const HtmlText& html,
                      WorkMeter& meter) {
    const auto add_structure = [&](LinkDomains domains) {
      if (!meter.spend(html.elements.size(), kStepsAnElement)) return;
      const auto tokens = structure_tokens(html.elements, options_.min_html_tags, domains);
      if (!tokens) return;
      PartHash hash = start_text(i, PartKind::kHtmlStructure, HashMethod::kShingles, words);
      hash.words = tokens->size();
      hash.fingerprint.digest = fingerprint::structure_digest(keys_, *tokens);
      hash.fingerprint.shingles = fingerprint::make_structure_shingles(keys_, *tokens);
      hashes_.push_back(std::move(hash));
    };
    if (options_.ignore_link_domains) add_structure(LinkDomains::kIgnored);
    add_structure(LinkDomains::kKept);
  }

  void hash_words(std::size_t i, const TextWords& words, WorkMeter& meter) {
    const PartKind kind =
        parts_.contents[i].kind == ContentKind::kHtml ? PartKind::kHtml : PartKind::kText;
    if (has_words_enough(words)) {
      const bool slow = options_.algorithm == HashAlgorithm::kSiphash;
      if (!meter.spend(words.stems.size(), slow ? kStepsAWordSlow : kStepsAWord)) return;
      PartHash hash = start_text(i, kind, HashMethod::kShingles, words);
      hash.fingerprint.digest = fingerprint::word_digest(keys_, words.stems);
      hash.fingerprint.shingles = fingerprint::make_shingles(keys_, words.stems);
      hashes_.push_back(std::move(hash));
      return;
    }
    if (!meter.spend(words.oneline.size(), kStepsADigestedByte)) return;
    PartHash hash = start_text(i, kind, HashMethod::kDirect, words);
    hash.fingerprint.digest = fingerprint::direct_digest(keys_, words.oneline, subject());
    hashes_.push_back(std::move(hash));
  }

  [[nodiscard]] std::string_view subject() const {
    return options_.no_subject ? std::string_view() : parts_.subject;
  }

  [[nodiscard]] bool has_words_enough(const TextWords& words) const {
    return options_.text_shingles && words.stems.size() >= words_min(words);
  }

  /// Whether a text is hashed at all.
  [[nodiscard]] bool is_wanted_text(std::size_t i, const TextWords& words) const {
    if (has_words_enough(words)) return true;
    if (options_.text_shingles && !options_.short_text_direct_hash) return false;
    return passes_text_length(i, words);
  }

  /// rspamd 4 counts one word of Japanese, Chinese or Korean for three.
  [[nodiscard]] bool is_dense(const TextWords& words) const {
    const std::string_view code = words.language.code;
    return parts_.options.compat == Compat::kRspamd4 &&
           (code == "ja" || code == "zh" || code == "ko");
  }

  [[nodiscard]] std::size_t words_min(const TextWords& words) const {
    if (is_dense(words)) {
      return std::max<std::size_t>(kWordsMinDense, options_.min_length / kDenseFactor);
    }
    return std::max<std::size_t>(kWordsMin, options_.min_length);
  }

  /// The length check of HASHING.md 4.2.
  [[nodiscard]] bool passes_length(std::size_t i) const {
    return is_long_enough(i, static_cast<double>(parts_.mail.parts[i].body.size()));
  }
  [[nodiscard]] bool passes_text_length(std::size_t i, const TextWords& words) const {
    const double size =
        static_cast<double>(words.oneline.size() + subject().size()) * options_.text_multiplier;
    return is_long_enough(i, is_dense(words) ? size * kDenseFactor : size);
  }
  [[nodiscard]] bool is_long_enough(std::size_t i, double size) const {
    if (parts_.mail.parts[i].body.empty()) return false;
    return options_.min_bytes == 0 || size >= static_cast<double>(options_.min_bytes);
  }

  [[nodiscard]] bool is_large_enough(const ImageInfo& image) const {
    return image.width >= options_.min_width && image.height >= options_.min_height;
  }

  [[nodiscard]] bool wants_type(std::size_t i) const {
    const MediaType& media = parts_.mail.parts[i].type;
    const std::string declared = media.type + "/" + media.subtype;
    const std::string& detected = parts_.contents[i].detected_type;
    return std::any_of(options_.mime_types.begin(), options_.mime_types.end(),
                       [&](const std::string& glob) {
                         return matches_glob(declared, glob) ||
                                (!detected.empty() && matches_glob(detected, glob));
                       });
  }

  [[nodiscard]] PartHash start(std::size_t i, PartKind kind, HashMethod method,
                               PartPlace place) const {
    PartHash hash;
    hash.part = parts_.mail.parts[i].path;
    hash.index = parts_.mail.parts[i].number;
    hash.kind = kind;
    hash.place = place;
    hash.method = method;
    hash.algorithm = options_.algorithm;
    return hash;
  }
  [[nodiscard]] PartHash start_text(std::size_t i, PartKind kind, HashMethod method,
                                    const TextWords& words) const {
    const bool body = std::binary_search(parts_.body.begin(), parts_.body.end(), i);
    PartHash hash = start(i, kind, method, body ? PartPlace::kBody : PartPlace::kText);
    hash.words = words.stems.size();
    hash.bytes = words.oneline.size();
    return hash;
  }

  const Analysis::Parts& parts_;
  const HashOptions& options_;
  const fingerprint::HashKeys& keys_;
  const fingerprint::RobustKeys& robust_keys_;
  std::vector<PartHash> hashes_;
};

/// Whether the words of bodies are counted that few senders write, if no rule needs them.
enum class OwnWords : std::uint8_t { kCounted, kUncounted };

/// One message for all rules: each part is read once, the most telling first.
class MessageHasher {
 public:
  MessageHasher(const Analysis::Parts& parts, std::span<const HashRule> rules, OwnWords own_words)
      : parts_(parts), meter_(parts.work_left, parts.stop) {
    hashers_.reserve(rules.size());
    for (const HashRule& rule : rules) hashers_.emplace_back(parts, rule);
    robust_ = own_words == OwnWords::kCounted ||
              std::any_of(hashers_.begin(), hashers_.end(),
                          [](const RuleHasher& hasher) { return hasher.wants_robust(); });
    result_.defects = parts.mail.defects;
  }

  MessageHashes run() {
    const std::size_t count = parts_.mail.parts.size();
    std::vector<bool> in_body(count);
    for (const std::uint32_t i : parts_.body) in_body[i] = true;
    sisters_ = find_sister_texts(parts_.mail, parts_.contents);
    if (sisters_) hash_text(sisters_->speaker, in_body[sisters_->speaker]);
    const auto is_left = [&](std::size_t i) { return !sisters_ || i != sisters_->speaker; };
    for (const std::uint32_t i : parts_.body) {
      if (is_left(i)) hash_text(i, true);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (parts_.is_text(i) && !in_body[i] && is_left(i)) hash_text(i, false);
    }
    for (const bool archives : {false, true}) {
      for (std::size_t i = 0; i < count; ++i) {
        const bool archive = parts_.contents[i].kind == ContentKind::kArchive;
        if (archive == archives) hash_data(i, archive);
      }
    }
    for (RuleHasher& hasher : hashers_) result_.of_rule.push_back(hasher.take());
    const bool refused = meter_.refused() || scripts_refused_;
    result_.incomplete = parts_.incomplete || refused;
    if (refused) note("work limit reached");
    result_.work_left = meter_.left();
    return std::move(result_);
  }

 private:
  void hash_text(std::size_t i, bool body) {
    TextStages text;
    read_text(parts_, i, meter_, text);
    if (text.html.truncated) note("html limit reached");
    if (!text.complete) return;
    share_language(i, text.words);
    if (text.words.truncated) note("text limit reached");
    result_.longest_text_bytes = std::max(result_.longest_text_bytes, text.words.oneline.size());
    for (RuleHasher& hasher : hashers_) hasher.hash_text(i, text.words, text.html, meter_);
    if (body && robust_) hash_robust(i, text);
  }

  /// Only the count of its words depends on it: they have been stemmed before.
  void share_language(std::size_t i, TextWords& words) {
    if (!sisters_) return;
    if (i == sisters_->speaker) language_ = words.language.code;
    const bool heard = i == sisters_->listener && !language_.empty();
    if (heard && !words.tokens.empty()) words.language.code = language_;
  }

  void note(std::string_view defect) { note_once(result_.defects, defect); }

  void hash_robust(std::size_t i, const TextStages& text) {
    const std::size_t bytes = std::min(text.content.size(), kRobustTextBytesMax);
    if (!meter_.spend(bytes, kStepsARobustByte)) return;
    const bool html = parts_.contents[i].kind == ContentKind::kHtml;
    const bool of_report = is_of_report(i);
    RobustText robust;
    if (!of_report) {
      robust = robust_words(text.content, html ? TextForm::kHtml : TextForm::kPlain);
    }
    for (RuleHasher& hasher : hashers_) {
      if (hasher.wants_robust() && robust.is_telling()) hasher.hash_robust(i, text.words, robust);
      hasher.set_words(i, robust, of_report || robust.is_common(text.words.stems.size()));
    }
  }

  /// Whether the text stands in a multipart/report beside what a program reads: "I'm sorry to have
  /// to inform you" of a bounce or a receipt, which is the same in every one.
  [[nodiscard]] bool is_of_report(std::size_t i) const {
    const std::vector<MailPart>& parts = parts_.mail.parts;
    for (auto above = parts[i].parent; above; above = parts[*above].parent) {
      if (!parts[*above].is_multipart() || parts[*above].type.subtype != "report") continue;
      return std::any_of(parts.begin(), parts.end(), [&](const MailPart& part) {
        return part.parent == above && part.is_report();
      });
    }
    return false;
  }

  /// Of a part that is no text: its digests are the same for all rules.
  void hash_data(std::size_t i, bool archive) {
    const PartPlace place = archive ? PartPlace::kArchive : PartPlace::kAttachment;
    std::optional<Digest> digest;
    for (RuleHasher& hasher : hashers_) {
      const std::optional<PartKind> kind = hasher.wanted_data(i);
      if (kind && !add_data(hasher, i, *kind, place, digest)) return;
    }
    if (parts_.contents[i].pdf) hash_scripts(i, digest);
  }

  /// A PDF with scripts is hashed whatever its type, and so is each of them. They may cost half of
  /// what is left, so that none keeps other parts from being hashed.
  void hash_scripts(std::size_t i, std::optional<Digest>& digest) {
    const Steps share = meter_.left() / 2;
    WorkMeter meter(share, parts_.stop);
    const PdfScripts scripts = find_pdf_scripts(parts_.mail.parts[i].body, meter);
    scripts_refused_ = scripts_refused_ || meter.refused();
    if (!meter_.spend(share - meter.left())) return;
    if (!scripts.found) return;
    for (RuleHasher& hasher : hashers_) {
      for (const Digest& script : scripts.digests) hasher.add_script(i, script);
      if (hasher.wanted_data(i)) continue;
      if (!add_data(hasher, i, PartKind::kAttachment, PartPlace::kAttachment, digest)) return;
    }
  }

  /// `digest`: made once. False if that is refused.
  bool add_data(RuleHasher& hasher, std::size_t i, PartKind kind, PartPlace place,
                std::optional<Digest>& digest) {
    const std::string_view body = parts_.mail.parts[i].body;
    if (!digest) {
      if (!meter_.spend(body.size() + kStepsADigest, kStepsADigestedByte)) return false;
      digest = fingerprint::data_digest(body);
    }
    hasher.add_data(i, kind, place, *digest);
    return true;
  }

  const Analysis::Parts& parts_;
  WorkMeter meter_;
  std::vector<RuleHasher> hashers_;
  std::optional<SisterTexts> sisters_;
  std::string_view language_;  ///< of the one that speaks for both, once it is read
  bool scripts_refused_ = false;
  bool robust_ = false;  ///< bodies are read in our own form
  MessageHashes result_;
};

}  // namespace

MessageHashes hash_message(const Analysis& analysis, std::span<const HashRule> rules) {
  return MessageHasher(analysis.parts(), rules, OwnWords::kCounted).run();
}

std::vector<PartHash> hash_message(const Analysis& analysis, const HashRule& rule) {
  MessageHasher hasher(analysis.parts(), std::span(&rule, 1), OwnWords::kUncounted);
  return std::move(hasher.run().of_rule.front());
}

}  // namespace shingled::mime
