// Writes the hash table of trigram_table.h as C++ from mime/language/data/trigrams.txt, whose
// format make_language_data.py explains. A tool of the build: make_trigram_table INPUT OUTPUT
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mime/language/trigram_table.h"

namespace {

using namespace shingled::mime;

constexpr double kSlotsPerTrigram = 1.4;  // about two slots looked at for one that is not there

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "make_trigram_table: %s\n", why.c_str());
  std::exit(1);
}

struct Entry {
  std::uint64_t key = 0;
  std::vector<std::pair<std::size_t, std::uint32_t>> shares;  ///< language, millionths
};

/// Takes a code point off the front of `text`, UTF-8 with at most three bytes a character.
std::uint32_t take_letter(std::string_view& text) {
  const auto byte = [&](std::size_t i) {
    if (i >= text.size()) fail("a line ends in a trigram");
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : 3;
  std::uint32_t letter = byte(0);
  if (size == 2) letter = (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
  if (size == 3) letter = (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  text.remove_prefix(size);
  return letter;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t size = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return word;
}

Alphabet alphabet_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Alphabet>, 4> kNames = {
      {{"latin", Alphabet::kLatin},
       {"cyrillic", Alphabet::kCyrillic},
       {"devanagari", Alphabet::kDevanagari},
       {"arab", Alphabet::kArabic}}};
  for (const auto& [known, alphabet] : kNames) {
    if (known == name) return alphabet;
  }
  fail("unknown alphabet " + std::string(name));
}

class Reader {
 public:
  void read_line(std::string_view line) {
    if (line.starts_with("= ")) {
      read_languages(line.substr(2));
    } else {
      read_trigram(line);
    }
  }

  std::vector<std::string> languages;
  std::vector<Entry> entries;

 private:
  void read_languages(std::string_view line) {
    alphabet_ = alphabet_named(take_word(line));
    first_language_ = languages.size();
    while (!line.empty()) languages.emplace_back(take_word(line));
    if (languages.size() > kTrigramLanguagesMax) fail("too many languages");
  }

  void read_trigram(std::string_view line) {
    Trigram trigram{.alphabet = alphabet_, .letters = {}};
    for (std::uint32_t& letter : trigram.letters) letter = take_letter(line);
    Entry entry{.key = trigram_key(trigram), .shares = {}};
    if (entry.key == 0) fail("a letter beyond the table");
    while (!line.empty()) {
      const char letter = line.front();
      const std::size_t index = letter >= 'a' ? static_cast<std::size_t>(letter - 'a') + 26
                                              : static_cast<std::size_t>(letter - 'A');
      line.remove_prefix(1);
      std::uint32_t share = 0;
      while (!line.empty() && line.front() >= '0' && line.front() <= '9') {
        share = share * 10 + static_cast<std::uint32_t>(line.front() - '0');
        line.remove_prefix(1);
      }
      if (share == 0 || share >> 20 != 0) fail("a share out of range");
      entry.shares.emplace_back(first_language_ + index, share);
      if (first_language_ + index >= languages.size()) fail("a language without a name");
    }
    entries.push_back(std::move(entry));
  }

  Alphabet alphabet_ = Alphabet::kLatin;
  std::size_t first_language_ = 0;
};

struct Table {
  std::vector<std::uint64_t> slots;
  std::vector<std::uint32_t> votes;
};

Table build(const std::vector<Entry>& entries) {
  Table table;
  table.slots.resize(
      static_cast<std::size_t>(static_cast<double>(entries.size()) * kSlotsPerTrigram));
  for (const Entry& entry : entries) {
    if (table.votes.size() >> kVoteIndexBits != 0) fail("too many votes");
    std::size_t slot = first_slot(entry.key, table.slots.size());
    while (table.slots[slot] != 0) slot = (slot + 1) % table.slots.size();
    table.slots[slot] = entry.key << kVoteIndexBits | table.votes.size();
    for (std::size_t i = 0; i < entry.shares.size(); ++i) {
      const auto following = static_cast<std::uint32_t>(entry.shares.size() - 1 - i);
      const auto language = static_cast<std::uint32_t>(entry.shares[i].first);
      table.votes.push_back(entry.shares[i].second << 12 | following << 6 | language);
    }
  }
  return table;
}

void write(std::FILE* out, const std::vector<std::string>& languages, const Table& table) {
  std::fputs("// Made by make_trigram_table.\n#include \"mime/language/trigram_table.h\"\n\n", out);
  std::fputs("namespace shingled::mime {\n\nnamespace {\n\n", out);
  std::fputs("constexpr std::string_view kLanguages[] = {", out);
  for (const std::string& code : languages) std::fprintf(out, "\"%s\",", code.c_str());
  std::fputs("};\nconstexpr std::uint64_t kSlots[] = {", out);
  for (const std::uint64_t slot : table.slots) {
    std::fprintf(out, "\n%llu,", static_cast<unsigned long long>(slot));
  }
  std::fputs("};\nconstexpr TrigramVote kVotes[] = {", out);
  for (const std::uint32_t vote : table.votes) std::fprintf(out, "\n{%u},", vote);
  std::fputs(
      "};\nconstexpr TrigramTable kTable{kSlots, kVotes, kLanguages};\n\n}  // namespace\n\n", out);
  std::fputs("const TrigramTable& trigram_table() { return kTable; }\n\n", out);
  std::fputs("}  // namespace shingled::mime\n", out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("make_trigram_table INPUT OUTPUT");
  std::ifstream in(argv[1]);
  if (!in) fail(std::string("cannot read ") + argv[1]);
  Reader reader;
  for (std::string line; std::getline(in, line);) reader.read_line(line);
  std::FILE* out = std::fopen(argv[2], "w");
  if (out == nullptr) fail(std::string("cannot write ") + argv[2]);
  write(out, reader.languages, build(reader.entries));
  if (std::fclose(out) != 0) fail(std::string("cannot write ") + argv[2]);
  return 0;
}
