#include "milter/view/stages.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/base/hex.h"
#include "mime/analysis_parts.h"
#include "mime/fingerprint/keyed_hash.h"
#include "mime/language/stemmer.h"
#include "mime/url/link_domain.h"
#include "mime/words/word_normaliser.h"

namespace shingled::milter::view {

namespace {

using mime::Exception;
using mime::ExceptionKind;
using mime::TextStages;
using mime::Token;
using mime::TokenKind;

Json string_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(std::string(text));
}

std::string sha256_text(std::string_view bytes) { return to_hex(fingerprint::sha256(bytes)); }

/// The text of an exception in the list of words; empty for the start of a line.
std::string exception_name(const Exception& exception, const TextStages& text) {
  const std::string_view line = text.words.line.text;
  switch (exception.kind) {
    case ExceptionKind::kLineStart:
      return {};
    case ExceptionKind::kUrl:
      return mime::url_name(line.substr(exception.offset, exception.length));
    case ExceptionKind::kLink:
      for (const mime::LinkSpan& link : text.html.links) {
        if (link.offset == exception.offset && link.length == exception.length)
          return mime::url_name(link.url);
      }
      return {};
  }
  return {};
}

Json exception_json(const Exception& exception, const std::string& name) {
  Json out = {exception.offset, exception.length,
              exception.kind == ExceptionKind::kLineStart ? "newline" : "url"};
  if (exception.kind != ExceptionKind::kLineStart) out.push_back(name);
  return out;
}

/// The words of a part, and what they were hashed as.
class TokenPrinter {
 public:
  TokenPrinter(const TextStages& text, const std::vector<std::string>& names)
      : text_(text), names_(names), stemmer_(text.words.language.code) {}

  Json print() {
    Json out = Json::array();
    for (const Token& token : text_.words.tokens) {
      out.push_back(token.kind == TokenKind::kUrl ? url(token) : word(token));
    }
    return out;
  }

 private:
  /// The exceptions come in the order of the tokens they became; some became none.
  Json url(const Token& token) {
    const auto& exceptions = text_.words.exceptions;
    while (next_ < exceptions.size() &&
           (exceptions[next_].offset != token.offset || exceptions[next_].length != token.length)) {
      ++next_;
    }
    const std::string name = next_ < names_.size() ? names_[next_++] : std::string();
    return {name, nullptr, nullptr, "exception"};
  }

  Json word(const Token& token) {
    const std::string original = text_.words.line.text.substr(token.offset, token.length);
    const std::string normal(normaliser_.normalise(original));
    const std::string stem(stemmer_.stem(normal));
    if (token.kind == TokenKind::kDecayed) return {original, normal, stem, "decayed"};
    if (original == normal && normal == stem) return original;
    return {original, normal, stem};
  }

  const TextStages& text_;
  const std::vector<std::string>& names_;
  mime::WordNormaliser normaliser_;
  const mime::Stemmer stemmer_;
  std::size_t next_ = 0;
};

std::string joined(const WordList& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += '\n';
    out += words[i];
  }
  return out;
}

Json text_json(const mime::MailPart& part, bool html, const TextStages& text) {
  const mime::TextWords& words = text.words;
  std::vector<std::string> names;
  Json exceptions = Json::array();
  for (const Exception& exception : words.exceptions) {
    names.push_back(exception_name(exception, text));
    exceptions.push_back(exception_json(exception, names.back()));
  }
  return {{"part", part.number},
          {"path", part.path},
          {"type", part.type.type + "/" + part.type.subtype},
          {"charset", string_or_null(text.charset)},
          {"is_html", html},
          {"utf8", !text.content.empty()},
          {"language", string_or_null(words.language.code)},
          {"language_by", mime::to_string(words.language.by)},
          {"content", std::string(text.content)},
          {"seen", text.html.seen ? Json(*text.html.seen) : Json()},
          {"oneline", words.line.text},
          {"oneline_bytes", words.line.text.size()},
          {"oneline_sha256", sha256_text(words.line.text)},
          {"exceptions", std::move(exceptions)},
          {"exceptions_count", words.exceptions.size()},
          {"tokens_count", words.tokens.size()},
          {"hashed_words", words.stems.size()},
          {"hashed_words_sha256", sha256_text(joined(words.stems))},
          {"tokens", TokenPrinter(text, names).print()}};
}

}  // namespace

Json stages_json(std::string_view file, const mime::Analysis& analysis) {
  const mime::Analysis::Parts& parts = analysis.parts();
  mime::WorkMeter meter(parts.work_left);
  Json texts = Json::array();
  for (std::size_t i = 0; i < parts.mail.parts.size(); ++i) {
    const mime::ContentKind kind = parts.contents[i].kind;
    const bool html = kind == mime::ContentKind::kHtml;
    if (!html && kind != mime::ContentKind::kText) continue;
    mime::TextStages text;
    mime::read_text(parts, i, meter, text);
    texts.push_back(text_json(parts.mail.parts[i], html, text));
  }
  return {{"file", std::string(file)}, {"subject", parts.subject}, {"parts", std::move(texts)}};
}

}  // namespace shingled::milter::view
