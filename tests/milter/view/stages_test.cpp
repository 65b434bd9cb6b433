// What `hash --stages` prints against what a real rspamd 3.4 made of each stage (words.json,
// words-2.json): whole messages, from their bytes on. What deviates is listed by name.
#include "milter/view/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

namespace shingled::milter::view {
namespace {

using Names = std::set<std::string>;

mime::Analysis analyze(std::string_view message, WordForm form = WordForm::kPosix) {
  MimeOptions options;
  options.compat = Compat::kRspamd3;
  options.word_form = form;
  return mime::analyze(message, options);
}

TEST(Stages, EveryTextPartWithAllThatItsHashesAreMadeOf) {
  const std::string message =
      "Subject: =?utf-8?q?H=C3=A9llo?=\nContent-Type: text/html; charset=utf-8\n\n"
      "<p>The ordered <b>parcels</b> are at www.example.com</p>\n";
  const Json stages = stages_json("a.eml", analyze(message));
  EXPECT_EQ(stages["file"], "a.eml");
  EXPECT_EQ(stages["subject"], "H\u00e9llo");
  ASSERT_EQ(stages["parts"].size(), 1U);
  const Json& part = stages["parts"][0];
  EXPECT_EQ(part["path"], "1");
  EXPECT_EQ(part["type"], "text/html");
  EXPECT_EQ(part["is_html"], true);
  EXPECT_EQ(part["language"], "en");
  EXPECT_EQ(part["language_by"], "short");
  EXPECT_EQ(part["content"], "The ordered parcels are at www.example.com\n");
  EXPECT_EQ(part["oneline"], "The ordered parcels are at www.example.com ");
  EXPECT_EQ(part["exceptions"].dump(), R"([[27,15,"url","example.com"],[43,0,"newline"]])");
  EXPECT_EQ(part["tokens"].dump(),
            R"([["The","the","the"],["ordered","ordered","order"],["parcels","parcels","parcel"],)"
            R"("are","at",["example.com",null,null,"exception"]])");
  EXPECT_EQ(part["hashed_words"], 5);
}

TEST(Stages, AMessageWithoutTextHasNoParts) {
  const Json stages = stages_json("-", analyze("Content-Type: image/png\n\nx"));
  EXPECT_EQ(stages.dump(), R"({"file":"-","subject":"","parts":[]})");
}

std::optional<std::string> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// What may differ, as "file key": each has another reason than a stage of ours.
const Names kExcused = {
    "080_urls.eml tokens",  // an IPv4 address as one number, which the daemon's word spells out
    "220_html_base.eml exceptions", "220_html_base.eml exceptions_count",  // the same span twice
    "342_epilogue_footer.eml parts"};  // a line that looks like a delimiter behind the end

/// Where the trigrams of rspamd vote another language than we find, its stems differ with it; the
/// tests of mime/text have those languages by name. A charset has several names.
bool is_comparable(const std::string& key, const Json& ours, const Json& theirs) {
  if (key == "charset" || key == "language_by" || key == "language") return false;
  const bool stems = key == "tokens" || key == "hashed_words_sha256";
  return !stems || ours["language"] == theirs["language"];
}

Names differences(const Json& mails, WordForm form) {
  Names wrong;
  for (const auto& [file, mail] : mails.items()) {
    const auto note = [&, &name = file](const std::string& key) {
      std::string difference = name;
      difference += " " + key;
      if (kExcused.count(difference) == 0) wrong.insert(difference);
    };
    const auto message = read(SHINGLED_SHARED_DIR "/vectors/mail/" + file);
    EXPECT_TRUE(message) << file;
    const Json stages = stages_json(file, analyze(message.value_or(""), form));
    if (stages["subject"] != mail["subject"]) note("subject");
    if (stages["parts"].size() != mail["parts"].size()) {
      note("parts");
      continue;
    }
    for (std::size_t i = 0; i < mail["parts"].size(); ++i) {
      const Json& ours = stages["parts"][i];
      const Json& theirs = mail["parts"][i];
      for (const auto& [key, value] : theirs.items()) {
        if (is_comparable(key, ours, theirs) && ours.value(key, Json()) != value) note(key);
      }
    }
  }
  return wrong;
}

TEST(Stages, AreThoseOfRspamd) {
  for (const char* const name : {"words.json", "words-2.json"}) {
    const auto text = read(std::string(SHINGLED_SHARED_DIR "/vectors/") + name);
    if (!text) GTEST_SKIP() << "no " << name << " beside this checkout";
    const Json words = Json::parse(*text);
    EXPECT_EQ(differences(words["mails"], WordForm::kPosix), Names{}) << name;
    EXPECT_EQ(differences(words["mails_en_US"], WordForm::kRoot), Names{}) << name;
  }
}

}  // namespace
}  // namespace shingled::milter::view
