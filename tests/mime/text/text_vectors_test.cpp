// Covers mime/text/text_words.cpp, mime/text/oneline.cpp: texts of real mail, stage by stage.
// Each stage by itself against what a real rspamd 3.4 made of 234 mails (words.json): so a change
// shows in the stage it breaks. The counts are exact; what deviates is listed by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mime/language/language.h"
#include "mime/language/stemmer.h"
#include "mime/text/oneline.h"
#include "mime/text/text_words.h"
#include "mime/url/url_finder.h"
#include "mime/words/tokenizer.h"
#include "mime/words/word_normaliser.h"
#include "tests/mime/unmetered.h"
#include "tests/mime/vectors.h"

namespace shingled::mime {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

struct Part {
  std::string name;  ///< file and part number
  const Json& json;
  [[nodiscard]] bool has(const char* key) const { return json.contains(key); }
  [[nodiscard]] std::string text(const char* key) const { return json.at(key).get<std::string>(); }
};

std::vector<Part> parts_of(const Json& mails) {
  std::vector<Part> parts;
  for (const auto& [file, mail] : mails.items()) {
    for (const auto& part : mail["parts"]) {
      parts.push_back({file + "#" + std::to_string(part["part"].get<int>()), part});
    }
  }
  return parts;
}

std::vector<Exception> exceptions_of(const Json& part) {
  std::vector<Exception> exceptions;
  for (const auto& e : part["exceptions"]) {
    exceptions.push_back(
        {.offset = e[0],
         .length = e[1],
         .kind = e[2] == "newline" ? ExceptionKind::kLineStart : ExceptionKind::kUrl});
  }
  return exceptions;
}

/// A token as the vectors have it; empty fields where they have none.
struct Expected {
  std::string original, normal, stem, mark;
};

std::vector<Expected> tokens_of(const Json& part) {
  const auto text = [](const Json& value) {
    return value.is_null() ? "" : value.get<std::string>();
  };
  std::vector<Expected> tokens;
  for (const auto& t : part["tokens"]) {
    if (t.is_string()) {
      tokens.push_back({t, t, t, ""});
    } else {
      tokens.push_back({text(t[0]), text(t[1]), text(t[2]), t.size() > 3 ? text(t[3]) : ""});
    }
  }
  return tokens;
}

bool same_tokens(const std::string& oneline, const std::vector<Token>& ours,
                 const std::vector<Expected>& theirs) {
  if (ours.size() != theirs.size()) return false;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const TokenKind kind = theirs[i].mark == "exception" ? TokenKind::kUrl
                           : theirs[i].mark == "decayed" ? TokenKind::kDecayed
                                                         : TokenKind::kWord;
    if (ours[i].kind != kind) return false;
    // A URL's token is its host, which is not ours to name.
    if (kind == TokenKind::kUrl) continue;
    if (oneline.compare(ours[i].offset, ours[i].length, theirs[i].original) != 0) return false;
  }
  return true;
}

struct Score {
  std::size_t checked = 0;
  Names wrong;
  void count(const std::string& name, bool right) {
    ++checked;
    if (!right) wrong.insert(name);
  }
};

Score score_words(const Json& mails, WordForm form) {
  Score score;
  for (const Part& part : parts_of(mails)) {
    if (!part.has("tokens") || !part.has("oneline")) continue;
    const std::string oneline = part.text("oneline");
    const auto tokens = split_all(oneline, exceptions_of(part.json), {.form = form});
    score.count(part.name, same_tokens(oneline, tokens, tokens_of(part.json)));
  }
  return score;
}

TEST(TextVectors, AOneLineTextAndItsExceptionsGiveTheWords) {
  SHINGLED_LOAD_VECTORS(words, "words.json");
  const Score posix = score_words(words["mails"], WordForm::kPosix);
  EXPECT_EQ(posix.checked, 253U);
  EXPECT_EQ(posix.wrong, Names{});
  const Score root = score_words(words["mails_en_US"], WordForm::kRoot);
  EXPECT_EQ(root.checked, 14U);
  EXPECT_EQ(root.wrong, Names{});
}

TEST(TextVectors, ContentGivesTheOneLineText) {
  SHINGLED_LOAD_VECTORS(words, "words.json");
  Score score;
  for (const Part& part : parts_of(words["mails"])) {
    if (!part.has("content") || !part.has("oneline")) continue;
    const bool html = part.json["is_html"];
    const Oneline line =
        make_oneline(part.text("content"), html ? TextForm::kHtml : TextForm::kPlain);
    std::vector<std::uint32_t> starts;
    for (const Exception& e : exceptions_of(part.json)) {
      if (e.kind == ExceptionKind::kLineStart) starts.push_back(e.offset);
    }
    score.count(part.name, line.text == part.text("oneline") && line.line_starts == starts);
  }
  EXPECT_EQ(score.checked, 91U);
  EXPECT_EQ(score.wrong, Names{});
}

/// Plain parts whose multipart has exactly two children: bare names are no URLs there.
const Names kTwoChildren = {"276_alt_schemaless.eml#1"};

TEST(TextVectors, AOneLineTextGivesTheUrls) {
  SHINGLED_LOAD_VECTORS(words, "words.json");
  Score score;
  std::size_t urls = 0;
  for (const Part& part : parts_of(words["mails"])) {
    if (!part.has("oneline") || !part.has("exceptions")) continue;
    std::vector<std::uint32_t> starts;
    std::vector<UrlSpan> theirs;
    for (const Exception& e : exceptions_of(part.json)) {
      if (e.kind == ExceptionKind::kLineStart) starts.push_back(e.offset);
      if (e.kind == ExceptionKind::kUrl) theirs.push_back({e.offset, e.length});
    }
    const bool html = part.json["is_html"];
    const bool strict = html || kTwoChildren.count(part.name) > 0;
    auto ours = all_urls(part.text("oneline"), starts, strict ? UrlMode::kStrict : UrlMode::kFull,
                         Compat::kRspamd3);
    const auto by_offset = [](const UrlSpan& a, const UrlSpan& b) {
      return std::pair(a.offset, a.length) < std::pair(b.offset, b.length);
    };
    std::sort(ours.begin(), ours.end(), by_offset);
    std::sort(theirs.begin(), theirs.end(), by_offset);
    // The vectors of HTML parts hold the printed links as well.
    score.count(part.name, html ? std::includes(theirs.begin(), theirs.end(), ours.begin(),
                                                ours.end(), by_offset)
                                : ours == theirs);
    urls += theirs.size();
  }
  EXPECT_EQ(score.checked, 255U);
  EXPECT_EQ(urls, 209U);
  EXPECT_EQ(score.wrong, Names{});
}

TEST(TextVectors, WordsGiveTheirNormalFormsAndStems) {
  SHINGLED_LOAD_VECTORS(words, "words.json");
  Score score;
  WordNormaliser normaliser;
  for (const Part& part : parts_of(words["mails"])) {
    if (!part.has("tokens")) continue;
    const Json& code = part.json["language"];
    const Stemmer stemmer(code.is_null() ? std::string() : code.get<std::string>());
    bool right = true;
    for (const Expected& token : tokens_of(part.json)) {
      if (token.mark == "exception") continue;
      const std::string normal(normaliser.normalise(token.original));
      right = right && normal == token.normal && stemmer.stem(normal) == token.stem;
    }
    score.count(part.name, right);
  }
  EXPECT_EQ(score.checked, 253U);
  EXPECT_EQ(score.wrong, Names{});
}

/// rspamd's dice: two mails that are marked unstable, and one that a second run of rspamd found
/// another language in.
const Names kDrawn = {"070_no_stopwords.eml#0", "245_html_8193.eml#0", "335_nocte_b64_lines.eml#0"};

TEST(TextVectors, AOneLineTextGivesItsLanguage) {
  SHINGLED_LOAD_VECTORS(words, "words.json");
  Score language;
  Score by;
  for (const Part& part : parts_of(words["mails"])) {
    if (!part.has("oneline") || part.json["tokens_count"] == 0) continue;
    const std::string oneline = part.text("oneline");
    const auto tokens = split_all(oneline, exceptions_of(part.json), {});
    const Language ours = language_of(oneline, tokens, Compat::kRspamd3);
    language.count(part.name, ours.code == part.text("language"));
    by.count(part.name, to_string(ours.by) == part.text("language_by"));
  }
  EXPECT_EQ(language.checked, 250U);
  EXPECT_EQ(language.wrong, kDrawn);
  EXPECT_EQ(by.wrong, Names{});
}

}  // namespace
}  // namespace shingled::mime
