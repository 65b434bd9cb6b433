// Covers mime/language/script.cpp: how the language of a text is found.
#include "mime/language/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "mime/words/tokenizer.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

Language detect(std::string_view line, Compat compat = Compat::kRspamd3) {
  return language_of(line, split_all(line, {}, {}), compat);
}

struct Case {
  const char* why;
  const char* text;
  const char* code;
  LanguageBy by;
};

constexpr Case kCases[] = {
    {"a Greek letter decides", "the value of π was not given to us by those who were there", "el",
     LanguageBy::kScript},
    {"so does a Han one", "the character 水 was not given to us by those who were there", "zh-CN",
     LanguageBy::kScript},
    {"kana means Japanese", "これは日本語です", "ja", LanguageBy::kScript},
    {"stop words of English", "this is what they have been doing before and after those", "en",
     LanguageBy::kStopWords},
    {"stop words of German",
     "wir haben Ihnen nicht gesagt, dass diese Sache für uns wichtig wird und bleibt", "de",
     LanguageBy::kStopWords},
    {"a few English ones beside one of Swedish say nothing, but their trigrams do",
     "they will send our report deras tomorrow which should help", "en", LanguageBy::kTrigrams},
    {"ten English ones are believed in any company",
     "they will send our report deras while your own team should have been there before them", "en",
     LanguageBy::kStopWords},
    {"too few words: the commonest language of Latin letters", "lorem ipsum", "en",
     LanguageBy::kShort},
    {"of Cyrillic ones", "привет мир", "ru", LanguageBy::kShort},
    {"of Devanagari", "नमस्ते संसार", "hi", LanguageBy::kShort},
    {"of Arabic", "السلام عليكم", "ar", LanguageBy::kShort},
    {"nothing to read", " -- ", "", LanguageBy::kNone},
    {"Vietnamese, which has no list",
     "Chúng tôi xin thông báo cuộc họp tuần tới được chuyển sang chiều thứ năm tại văn phòng", "vi",
     LanguageBy::kTrigrams},
    {"Lithuanian", "Gerbiami klientai, pranešame kad jūsų užsakymas išsiųstas vakar ir pasieks jus",
     "lt", LanguageBy::kTrigrams},
    {"Polish",
     "Szanowni klienci, informujemy że zamówienie zostało wysłane wczoraj i dotrze wkrótce", "pl",
     LanguageBy::kTrigrams},
    {"Swahili",
     "Mpendwa mteja, tungependa kukujulisha kwamba agizo lako limetumwa jana na litafika", "sw",
     LanguageBy::kTrigrams},
    {"Ukrainian", "Шановний клієнте, повідомляємо що ваше замовлення відправлено вчора і прибуде",
     "uk", LanguageBy::kTrigrams},
    {"English where no letters are known",
     "한국어 편지 내용 입니다 오늘 날씨 매우 좋고 하늘 맑고 바람 불어요", "en",
     LanguageBy::kTrigrams},
};

TEST(Language, IsFoundByScriptThenByStopWordsThenByTrigrams) {
  for (const Case& c : kCases) {
    const Language language = detect(c.text);
    EXPECT_EQ(language.code, c.code) << c.why;
    EXPECT_EQ(to_string(language.by), to_string(c.by)) << c.why;
  }
}

}  // namespace
}  // namespace shingled::mime
