#include "mime/rule_hasher.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "config/base/ascii.h"
#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/shingles.h"
#include "mime/text/html_structure.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kWordsMin = 32;       ///< the least, whatever the rule says
constexpr std::size_t kWordsMinDense = 12;  ///< for languages with longer words
constexpr unsigned kDenseFactor = 3;

// What hashing costs (tests/bench/bench_fingerprint.cpp).
constexpr Steps kStepsAWord = 150;        // 32 shingles
constexpr Steps kStepsAWordSlow = 600;    // by SipHash
constexpr Steps kStepsAnElement = 2'500;  // with a URL of 2 KB

/// Whether `text` matches a glob of `*` and `?`, ignoring case.
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

}  // namespace

void RuleHasher::hash_text(std::size_t i, const TextWords& words, const HtmlText& html,
                           WorkMeter& meter) {
  if (parts_.mail.parts[i].foreign_to_rspamd || !parts_.is_text(i)) return;
  // A text that is too short has no structure hash either, unless the rule wants nothing else.
  if (options_.text_hashes && !is_wanted_text(i, words)) return;
  if (options_.text_hashes) hash_words(i, words, meter);
  if (options_.html_shingles) hash_structure(i, words, html, meter);
}

void RuleHasher::hash_robust(std::size_t i, const TextWords& words, const RobustText& text) {
  PartHash hash = start_text(i, PartKind::kRobust, HashMethod::kShingles, words);
  hash.algorithm = HashAlgorithm::kFasthash;  // whatever the rule has
  hash.words = text.words.size();
  hash.fingerprint = fingerprint::robust_fingerprint(robust_keys_, text.words);
  hashes_.push_back(std::move(hash));
}

void RuleHasher::set_words(std::size_t i, const RobustText& text, bool common) {
  for (PartHash& hash : hashes_) {
    if (hash.index != parts_.mail.parts[i].number) continue;
    hash.common = common;
    hash.own_words = static_cast<std::uint32_t>(text.own_words);
  }
}

void RuleHasher::set_quoted(std::size_t i) {
  for (PartHash& hash : hashes_) {
    if (hash.index == parts_.mail.parts[i].number) hash.quoted = true;
  }
}

std::optional<PartKind> RuleHasher::wanted_data(std::size_t i) const {
  if (parts_.mail.parts[i].foreign_to_rspamd) return std::nullopt;
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

void RuleHasher::add_script(std::size_t i, const Digest& digest) {
  add_data(i, PartKind::kPdfScript, PartPlace::kAttachment, digest);
}

void RuleHasher::add_data(std::size_t i, PartKind kind, PartPlace place, const Digest& digest) {
  PartHash hash = start(i, kind, HashMethod::kDirect, place);
  hash.bytes = parts_.mail.parts[i].body.size();
  hash.fingerprint.digest = digest;
  hashes_.push_back(std::move(hash));
}

std::vector<PartHash> RuleHasher::take() {
  const auto order = [](const PartHash& hash) {
    return std::pair(hash.kind == PartKind::kRobust, hash.index);
  };
  std::stable_sort(hashes_.begin(), hashes_.end(),
                   [&](const PartHash& a, const PartHash& b) { return order(a) < order(b); });
  // What the message says itself is not quoted, even if it says it a second time.
  std::unordered_set<Digest, DigestHash> own;
  for (const PartHash& hash : hashes_) {
    if (!hash.quoted) own.insert(hash.fingerprint.digest);
  }
  std::unordered_set<Digest, DigestHash> seen;
  const auto known = [&](const PartHash& hash) {
    if (hash.kind == PartKind::kHtmlStructure) return false;
    const Digest& digest = hash.fingerprint.digest;
    return (hash.quoted && own.contains(digest)) || !seen.insert(digest).second;
  };
  hashes_.erase(std::remove_if(hashes_.begin(), hashes_.end(), known), hashes_.end());
  return std::move(hashes_);
}

void RuleHasher::hash_structure(std::size_t i, const TextWords& words, const HtmlText& html,
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

void RuleHasher::hash_words(std::size_t i, const TextWords& words, WorkMeter& meter) {
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
  if (!meter.spend(words.line.text.size(), kStepsADigestedByte)) return;
  PartHash hash = start_text(i, kind, HashMethod::kDirect, words);
  hash.fingerprint.digest = fingerprint::direct_digest(keys_, words.line.text, subject());
  hashes_.push_back(std::move(hash));
}

std::string_view RuleHasher::subject() const {
  return options_.no_subject ? std::string_view() : parts_.subject;
}

bool RuleHasher::has_words_enough(const TextWords& words) const {
  return options_.text_shingles && words.stems.size() >= words_min(words);
}

bool RuleHasher::is_wanted_text(std::size_t i, const TextWords& words) const {
  if (has_words_enough(words)) return true;
  if (options_.text_shingles && !options_.short_text_direct_hash) return false;
  return passes_text_length(i, words);
}

bool RuleHasher::is_dense(const TextWords& words) const {
  const std::string_view code = words.language.code;
  return parts_.options.compat == Compat::kRspamd4 &&
         (code == "ja" || code == "zh" || code == "ko");
}

std::size_t RuleHasher::words_min(const TextWords& words) const {
  if (is_dense(words)) {
    return std::max<std::size_t>(kWordsMinDense, options_.min_length / kDenseFactor);
  }
  return std::max<std::size_t>(kWordsMin, options_.min_length);
}

bool RuleHasher::passes_length(std::size_t i) const {
  return is_long_enough(i, static_cast<double>(parts_.mail.parts[i].body.size()));
}

bool RuleHasher::passes_text_length(std::size_t i, const TextWords& words) const {
  const double size =
      static_cast<double>(words.line.text.size() + subject().size()) * options_.text_multiplier;
  return is_long_enough(i, is_dense(words) ? size * kDenseFactor : size);
}

bool RuleHasher::is_long_enough(std::size_t i, double size) const {
  if (parts_.mail.parts[i].body.empty()) return false;
  return options_.min_bytes == 0 || size >= static_cast<double>(options_.min_bytes);
}

bool RuleHasher::is_large_enough(const ImageInfo& image) const {
  return image.width >= options_.min_width && image.height >= options_.min_height;
}

bool RuleHasher::wants_type(std::size_t i) const {
  const MediaType& media = parts_.mail.parts[i].type;
  const std::string declared = media.type + "/" + media.subtype;
  const std::string& detected = parts_.contents[i].detected_type;
  return std::any_of(
      options_.mime_types.begin(), options_.mime_types.end(), [&](const std::string& glob) {
        return matches_glob(declared, glob) || (!detected.empty() && matches_glob(detected, glob));
      });
}

PartHash RuleHasher::start(std::size_t i, PartKind kind, HashMethod method, PartPlace place) const {
  PartHash hash;
  hash.part = parts_.mail.parts[i].path;
  hash.index = parts_.mail.parts[i].number;
  hash.kind = kind;
  hash.place = place;
  hash.method = method;
  hash.algorithm = options_.algorithm;
  hash.quoted = parts_.of_others[i];
  return hash;
}

PartHash RuleHasher::start_text(std::size_t i, PartKind kind, HashMethod method,
                                const TextWords& words) const {
  const bool body = std::binary_search(parts_.body.begin(), parts_.body.end(), i);
  PartHash hash = start(i, kind, method, body ? PartPlace::kBody : PartPlace::kText);
  hash.words = words.stems.size();
  hash.bytes = words.line.text.size();
  return hash;
}

}  // namespace shingled::mime
