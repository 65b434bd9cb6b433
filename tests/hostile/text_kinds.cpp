// Plain texts: words, scripts, marks, and characters that are removed or folded.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

std::string text(std::string_view piece, std::size_t bytes) {
  return repeat(plain(), piece, bytes);
}

HostileKind script(std::string name, std::string why, std::string piece) {
  return {"text-" + std::move(name), std::move(why),
          [piece](std::size_t bytes) { return text(piece, bytes); }};
}

}  // namespace

std::vector<HostileKind> text_kinds() {
  return {
      script("one-word", "one word without end", "a"),
      script("one-word-digits", "one number without end", "1234567890"),
      script("one-word-mixed", "letters and digits without a space", "a1B2\u00e4"),
      script("same-word", "one word again and again", "word "),
      script("one-letter-words", "words of one letter", "a b c d "),
      script("stop-words", "words that say nothing", "the and of to und der die et la "),
      script("boilerplate", "words of notices", "click here unsubscribe privacy policy "),
      script("greetings", "greetings on every line", "Dear Sir,\n"),
      script("apostrophes", "apostrophes between all letters", "a'b'c'd"),
      script("hyphens", "hyphens between all letters", "a-b-c_d_"),
      script("punctuation", "nothing but signs", "!?,;:.-_*/+"),
      script("dots", "nothing but dots", "."),
      script("phones", "beginnings of telephone numbers", "+1"),
      script("accounts", "accounts whose check digits are wrong",
             "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed DE89 "),
      script("quoted", "quoted lines", "> > > > quoted\n"),
      script("quote-marks", "quotation marks alone", ">"),
      script("rules", "lines drawn by hand", "-----------------------------\n"),
      script("signatures", "signatures", "-- \nname\n"),
      script("combining", "marks over letters", "e\u0301\u0308\u0323 "),
      script("combining-run", "marks over one letter, out of order: to be sorted", "\u0301\u0323"),
      script("combining-words", "words of one letter under 200 marks",
             "e" + repeat("", "\u0301\u0323\u0327", 1200) + " "),
      script("ligatures", "letters that fold to eighteen", "\ufdfa "),
      script("ligatures-run", "the same without a space", "\ufdfa"),
      script("compatibility", "letters that are others in a circle or a square",
             "\u3300\u33ff\u24b6\u2460\ufb03 "),
      script("case", "letters that become several in the other case", "\u00df\u0130\u0149\u01f0 "),
      script("mathematical", "letters drawn by mathematicians", "\U0001d400\U0001d4d0\U0001d56c "),
      script("han", "Chinese and Japanese without a space", "\u6771\u4eac\u90fd\u306b\u884c\u304f"),
      script("han-rare", "characters beyond the first 65 536", "\U00020000\U0002a6d6"),
      script("kana", "katakana alone", "\u30a2\u30a4\u30a6\u30a8\u30aa"),
      script("hangul", "Korean in its letters", "\u1112\u1161\u11ab"),
      script("thai", "Thai, whose words only a dictionary tells",
             "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22"),
      script("khmer", "Khmer, likewise", "\u1797\u17b6\u179f\u17b6\u1781\u17d2\u1798\u17c2\u179a"),
      script("lao", "Lao, likewise", "\u0e9e\u0eb2\u0eaa\u0eb2\u0ea5\u0eb2\u0ea7"),
      script("burmese", "Burmese, likewise", "\u1019\u103c\u1014\u103a\u1019\u102c"),
      script("arabic", "Arabic with all its marks", "\u0645\u064f\u062d\u064e\u0645\u0651 "),
      script("hebrew", "Hebrew with all its points", "\u05e9\u05b8\u05c1\u05dc "),
      script("devanagari", "Hindi", "\u0939\u093f\u0928\u094d\u0926\u0940 "),
      script("emoji", "families of emoji",
             "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"),
      script("flags", "flags, of two letters each", "\U0001f1e9\U0001f1ea"),
      script("zero-width", "letters with nothing between them", "a\u200b\u00ad"),
      script("direction", "marks of direction around each letter", "\u202ea\u202c\u2066b\u2069"),
      script("private", "letters that mean nothing", "\ue000\U000f0000 "),
      script("every-script", "a word of every script",
             "word \u03bb\u03cc\u03b3\u03bf\u03c2 \u0441\u043b\u043e\u0432\u043e \u8a00\u8449 "
             "\u0e04\u0e33 \u05de\u05d9\u05dc\u05d4 \u0643\u0644\u0645\u0629 \ub2e8\uc5b4 "
             "\u0936\u092c\u094d\u0926 "),
      script("letters-spaced", "s p a c e d words", "v i a g r a "),
      {"text-different-words", "all words are different",
       [](std::size_t bytes) { return count_up(plain(), "w", " ", bytes); }},
      {"text-different-long-words", "long words, all different",
       [](std::size_t bytes) {
         return count_up(plain(), "wordwordwordwordwordwordwordword", " ", bytes);
       }},
      {"text-prose", "very many ordinary words",
       [](std::size_t bytes) { return plain() + prose(bytes); }},
      {"text-one-line", "the same on one line",
       [](std::size_t bytes) {
         std::string words = prose(bytes);
         for (char& c : words) c = c == '\n' ? ' ' : c;
         return plain() + words;
       }},
      {"text-word-a-line", "a word on each line",
       [](std::size_t bytes) { return count_up(plain(), "word", "\n", bytes); }},
  };
}

}  // namespace shingled::hostile
