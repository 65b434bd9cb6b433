#include <algorithm>
#include <unordered_set>
#include <utility>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/ascii.h"
#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/robust_shingles.h"
#include "mime/fingerprint/shingles.h"
#include "mime/message/body_texts.h"
#include "mime/text/html_structure.h"
#include "mime/text/robust_words.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kWordsMin = 32;  ///< below it shingles say nothing, whatever the rule wants
constexpr std::size_t kWordsMinDense = 12;  ///< for languages whose words say more
constexpr unsigned kDenseFactor = 3;

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

class Hasher {
 public:
  Hasher(const Analysis::Parts& parts, const HashRule& rule)
      : parts_(parts),
        options_(rule.options()),
        keys_(rule.keys()),
        robust_keys_(rule.robust_keys()) {}

  std::vector<PartHash> run() {
    for (std::size_t i = 0; i < parts_.mail.parts.size(); ++i) hash_part(i);
    if (options_.robust && options_.text_hashes) hash_body();
    return std::move(hashes_);
  }

 private:
  /// The decision table of hashing.md 4.2.
  void hash_part(std::size_t i) {
    const PartContent& content = parts_.contents[i];
    switch (content.kind) {
      case ContentKind::kText:
      case ContentKind::kHtml:
        hash_text(i);
        break;
      case ContentKind::kImage:
        if (!options_.skip_images && is_large_enough(content.image) && passes_length(i)) {
          add_data(i, PartKind::kImage);
        }
        break;
      case ContentKind::kArchive:
        if (options_.scan_archives) {
          add_data(i, PartKind::kAttachment);
          break;
        }
        [[fallthrough]];
      case ContentKind::kAttachment:
        if (wants_type(i) && passes_length(i)) add_data(i, PartKind::kAttachment);
        break;
      case ContentKind::kContainer:
      case ContentKind::kOther:
        break;
    }
  }

  void hash_text(std::size_t i) {
    if (options_.text_hashes) hash_words(i);
    if (options_.html_shingles) hash_structure(i);
  }

  /// Of an HTML part with enough structure (hashing.md section 13); never dropped as known.
  void hash_structure(std::size_t i) {
    const auto& elements = parts_.texts[i].html.elements;
    const auto add_structure = [&](LinkDomains domains) {
      const auto tokens = structure_tokens(elements, options_.min_html_tags, domains);
      if (!tokens) return;
      PartHash hash = start(i, PartKind::kHtmlStructure, HashMethod::kShingles);
      hash.words = tokens->size();
      hash.fingerprint.digest = fingerprint::structure_digest(keys_, *tokens);
      hash.fingerprint.shingles = fingerprint::make_structure_shingles(keys_, *tokens);
      hashes_.push_back(std::move(hash));
    };
    if (options_.ignore_link_domains) add_structure(LinkDomains::kIgnored);
    add_structure(LinkDomains::kKept);
  }

  void hash_words(std::size_t i) {
    const TextWords& words = parts_.texts[i].words;
    const PartKind kind =
        parts_.contents[i].kind == ContentKind::kHtml ? PartKind::kHtml : PartKind::kText;
    if (options_.text_shingles && words.stems.size() >= words_min(words)) {
      PartHash hash = start(i, kind, HashMethod::kShingles);
      hash.fingerprint.digest = fingerprint::word_digest(keys_, words.stems);
      hash.fingerprint.shingles = fingerprint::make_shingles(keys_, words.stems);
      return add(std::move(hash));
    }
    if (options_.text_shingles && !options_.short_text_direct_hash) return;
    if (!passes_length(i)) return;
    PartHash hash = start(i, kind, HashMethod::kDirect);
    hash.fingerprint.digest = fingerprint::direct_digest(keys_, words.oneline, subject());
    add(std::move(hash));
  }

  /// Of each text of the body that says enough: one fingerprint in our own form, behind the others.
  void hash_body() {
    for (const std::uint32_t i : body_texts(parts_.mail, parts_.contents)) {
      const bool html = parts_.contents[i].kind == ContentKind::kHtml;
      const RobustText text =
          robust_words(parts_.texts[i].content, html ? TextForm::kHtml : TextForm::kPlain);
      if (!text.is_telling()) continue;
      PartHash hash = start(i, PartKind::kRobust, HashMethod::kShingles);
      hash.algorithm = HashAlgorithm::kFasthash;  // whatever the rule has
      hash.words = text.words.size();
      hash.fingerprint = fingerprint::robust_fingerprint(robust_keys_, text.words);
      add(std::move(hash));
    }
  }

  [[nodiscard]] std::string_view subject() const {
    return options_.no_subject ? std::string_view() : parts_.subject;
  }

  /// rspamd 4 counts one word of Japanese, Chinese or Korean for three.
  [[nodiscard]] bool is_dense(const TextWords& words) const {
    const std::string_view code = words.language.code;
    return parts_.compat == Compat::kRspamd4 && (code == "ja" || code == "zh" || code == "ko");
  }

  [[nodiscard]] std::size_t words_min(const TextWords& words) const {
    if (is_dense(words)) {
      return std::max<std::size_t>(kWordsMinDense, options_.min_length / kDenseFactor);
    }
    return std::max<std::size_t>(kWordsMin, options_.min_length);
  }

  /// The length check of hashing.md 4.2.
  [[nodiscard]] bool passes_length(std::size_t i) const {
    const std::size_t body_bytes = parts_.mail.parts[i].body.size();
    if (body_bytes == 0) return false;
    auto size = static_cast<double>(body_bytes);
    if (is_text(i)) {
      const TextWords& words = parts_.texts[i].words;
      size =
          static_cast<double>(words.oneline.size() + subject().size()) * options_.text_multiplier;
      if (is_dense(words)) size *= kDenseFactor;
    }
    return options_.min_bytes == 0 || size >= static_cast<double>(options_.min_bytes);
  }

  [[nodiscard]] bool is_text(std::size_t i) const {
    const ContentKind kind = parts_.contents[i].kind;
    return kind == ContentKind::kText || kind == ContentKind::kHtml;
  }

  [[nodiscard]] bool is_large_enough(const ImageInfo& image) const {
    return (image.width == 0 || image.width >= options_.min_width) &&
           (image.height == 0 || image.height >= options_.min_height);
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

  void add_data(std::size_t i, PartKind kind) {
    PartHash hash = start(i, kind, HashMethod::kDirect);
    hash.fingerprint.digest = fingerprint::data_digest(parts_.mail.parts[i].body);
    add(std::move(hash));
  }

  [[nodiscard]] PartHash start(std::size_t i, PartKind kind, HashMethod method) const {
    PartHash hash;
    hash.part = parts_.mail.parts[i].path;
    hash.index = static_cast<std::uint32_t>(i);
    hash.kind = kind;
    hash.method = method;
    hash.algorithm = options_.algorithm;
    const TextWords& words = parts_.texts[i].words;
    hash.words = is_text(i) ? words.stems.size() : 0;
    hash.bytes = is_text(i) ? words.oneline.size() : parts_.mail.parts[i].body.size();
    return hash;
  }

  /// A digest that is there already says nothing new.
  void add(PartHash hash) {
    if (digests_.insert(hash.fingerprint.digest).second) hashes_.push_back(std::move(hash));
  }

  const Analysis::Parts& parts_;
  const HashOptions& options_;
  const fingerprint::HashKeys& keys_;
  const fingerprint::RobustKeys& robust_keys_;
  std::vector<PartHash> hashes_;
  std::unordered_set<Digest, DigestHash> digests_;
};

}  // namespace

std::vector<PartHash> hash_message(const Analysis& analysis, const HashRule& rule) {
  return Hasher(analysis.parts(), rule).run();
}

}  // namespace shingled::mime
