#include <algorithm>
#include <optional>
#include <utility>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/attachment/pdf_scripts.h"
#include "mime/fingerprint/digests.h"
#include "mime/message/part_roles.h"
#include "mime/rule_hasher.h"
#include "mime/text/robust_words.h"

namespace shingled::mime {
namespace {

// What hashing costs (tests/bench/bench_fingerprint.cpp).
constexpr Steps kStepsADigest = 500;
constexpr Steps kStepsARobustByte = 15;

/// Whether to set PartHash::own_words and PartHash::common even if no rule makes robust hashes.
enum class OwnWords : std::uint8_t { kCounted, kUncounted };

/// Hashes one message for all rules: reads each part once, the most telling first.
class MessageHasher {
 public:
  MessageHasher(const Analysis::Parts& parts, std::span<const HashRule> rules, OwnWords own_words,
                const TextObserver& observer)
      : parts_(parts),
        observer_(observer),
        meter_(parts.work_left, parts.stop),
        quoting_(parts.mail.parts.size()) {
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
    alternatives_ = find_alternative_pair(parts_.mail, parts_.contents);
    if (alternatives_) hash_text(alternatives_->chosen, in_body[alternatives_->chosen]);
    const auto is_left = [&](std::size_t i) {
      return !alternatives_ || i != alternatives_->chosen;
    };
    for (const std::uint32_t i : parts_.body) {
      if (is_left(i)) hash_text(i, true);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (parts_.is_readable(i) && !in_body[i] && is_left(i)) hash_text(i, false);
    }
    cited_ = parts_of_quotes(parts_.mail, quoting_);
    for (const bool archives : {false, true}) {
      for (std::size_t i = 0; i < count; ++i) {
        const bool archive = parts_.contents[i].kind == ContentKind::kArchive;
        if (archive == archives) hash_data(i, archive);
      }
    }
    for (RuleHasher& hasher : hashers_) result_.of_rule.push_back(hasher.take());
    const bool refused = meter_.refused() || scripts_refused_;
    result_.incomplete = parts_.incomplete || refused;
    if (refused) add_defect("work limit reached");
    result_.work_left = meter_.left();
    return std::move(result_);
  }

 private:
  void hash_text(std::size_t i, bool body) {
    TextStages text;
    const bool rspamd_only = !robust_ && !observer_;
    read_text(parts_, i, meter_, text, rspamd_only ? Views::kRspamd : Views::kRspamdAndBrowser);
    if (text.html.truncated) add_defect("html limit reached");
    if (!text.complete) return;
    if (observer_) observer_(i, text);
    share_language(i, text.words);
    if (text.words.truncated) add_defect("text limit reached");
    result_.longest_text_bytes = std::max(result_.longest_text_bytes, text.words.line.text.size());
    for (RuleHasher& hasher : hashers_) hasher.hash_text(i, text.words, text.html, meter_);
    if (text.is_mostly_quoted()) quote_text(i);
    if (body && robust_) hash_robust(i, text);
  }

  /// Not its robust hash, which is made of what the text says itself.
  void quote_text(std::size_t i) {
    quoting_[i] = true;
    for (RuleHasher& hasher : hashers_) hasher.set_quoted(i);
  }

  /// Only the number of words that the rule wants depends on it: they are stemmed already.
  void share_language(std::size_t i, TextWords& words) {
    if (!alternatives_) return;
    if (i == alternatives_->chosen) language_ = words.language.code;
    const bool heard = i == alternatives_->other && !language_.empty();
    if (heard && !words.tokens.empty()) words.language.code = language_;
  }

  void add_defect(std::string_view defect) { add_once(result_.defects, defect); }

  void hash_robust(std::size_t i, const TextStages& text) {
    const std::size_t bytes = std::min(text.own().size(), kRobustTextBytesMax);
    if (!meter_.spend(bytes, kStepsARobustByte)) return;
    const bool html = parts_.contents[i].kind == ContentKind::kHtml;
    const bool of_report = is_of_report(i);
    RobustText read;
    const RobustText* robust = &read;
    if (!of_report && text.robust() != nullptr) {
      robust = &text.robust()->own;
    } else if (!of_report) {
      read = robust_words(text.own(), html ? TextForm::kHtml : TextForm::kPlain);
    }
    for (RuleHasher& hasher : hashers_) {
      if (hasher.wants_robust() && robust->is_telling()) hasher.hash_robust(i, text.words, *robust);
      hasher.set_words(i, *robust, of_report || robust->is_common(text.words.stems.size()));
    }
  }

  /// Whether the text is the part for people of a multipart/report, like the "I'm sorry to have to
  /// inform you" of a bounce: such texts are all alike.
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

  /// Hashes a part that is not a text; its digest is the same for all rules.
  void hash_data(std::size_t i, bool archive) {
    const PartPlace place = archive ? PartPlace::kArchive : PartPlace::kAttachment;
    std::optional<Digest> digest;
    for (RuleHasher& hasher : hashers_) {
      const std::optional<PartKind> kind = hasher.wanted_data(i);
      if (kind && !add_data(hasher, i, *kind, place, digest)) return;
    }
    if (parts_.contents[i].pdf && !parts_.mail.parts[i].foreign_to_rspamd) hash_scripts(i, digest);
    if (!cited_[i]) return;
    for (RuleHasher& hasher : hashers_) hasher.set_quoted(i);
  }

  /// Hashes each script of a PDF, and such a PDF itself whatever its type. May spend half of the
  /// work that is left, so that enough remains for the other parts.
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

  /// Makes `digest` if it is not there yet. Returns false if the meter refuses that.
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
  const TextObserver& observer_;
  WorkMeter meter_;
  std::vector<RuleHasher> hashers_;
  std::optional<AlternativePair> alternatives_;
  std::string_view language_;  ///< of the alternative that speaks for both, once read
  std::vector<bool> quoting_;  ///< by part: texts that mostly quote
  std::vector<bool> cited_;    ///< by part: pictures that those bring with them
  bool scripts_refused_ = false;
  bool robust_ = false;  ///< robust words of bodies are wanted
  MessageHashes result_;
};

}  // namespace

MessageHashes hash_message(const Analysis& analysis, std::span<const HashRule> rules,
                           const TextObserver& observer) {
  return MessageHasher(analysis.parts(), rules, OwnWords::kCounted, observer).run();
}

std::vector<PartHash> hash_message(const Analysis& analysis, const HashRule& rule) {
  const TextObserver nobody;
  MessageHasher hasher(analysis.parts(), std::span(&rule, 1), OwnWords::kUncounted, nobody);
  return std::move(hasher.run().of_rule.front());
}

}  // namespace shingled::mime
