// ssdeep's CSV, line by line. Beside the real ssdeep: tests/e2e/test_similar_cli.py.
#include "milter/similar/files/signature_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace shingled::milter::similar {
namespace {

using fingerprint::Spamsum;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kSignature = "96:MSeQR/YGr84SOMnu1ik4kk6WvIQci:PeAQf4SOEUipkPwIkWsMQkh";

TEST(SignatureCsv, WritesNamesAsSsdeepDoes) {
  struct Case {
    const char* why;
    std::string name;
    std::string expected;
  };
  const Case cases[] = {
      {"as it is", "a b,c.txt", "\"a b,c.txt\""},
      {"a quotation mark has a backslash", "say \"hi\"", R"("say \"hi\"")"},
      {"a backslash has none", R"(a\b\)", R"("a\b\")"},
      {"both", R"(a\"b)", R"("a\\"b")"},
      {"bytes that are no text", "\xff\x01\t\r", "\"\xff\x01\t\r\""},
      {"a line end would end the row", "a\nb", R"("a\x0ab")"},
      {"no name", "", "\"\""},
  };
  const Spamsum signature = Spamsum::parse(kSignature).value();
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    const std::string line = signature_line(signature, test.name);
    EXPECT_EQ(line, std::string(kSignature) + "," + test.expected);
    if (test.name.find('\n') != std::string::npos) continue;
    const auto row = parse_signature_line(line);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->name, test.name) << "what is written comes back";
    EXPECT_EQ(row->signature, signature);
  }
}

TEST(SignatureCsv, ReadsWhatSsdeepReads) {
  struct Case {
    const char* why;
    std::string rest;
    const char* name;
  };
  const Case cases[] = {
      {"a file of another system", ",\"a\"\r", "a"},
      {"a quotation mark as others quote it", ",\"a\"\"b\"", "a\"\"b"},
      {"a quotation mark alone", ",\"a\"b\"", "a\"b"},
      {"no name at all", "", ""},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    const auto row = parse_signature_line(kSignature + test.rest);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->name, test.name);
  }
}

TEST(SignatureCsv, RefusesOtherLines) {
  struct Case {
    const char* why;
    std::string line;
  };
  const Case cases[] = {
      {"a name without quotation marks", std::string(kSignature) + ",a"},
      {"a name that does not end", std::string(kSignature) + ",\"a"},
      {"one quotation mark is not two", std::string(kSignature) + ",\""},
      {"something behind the name", std::string(kSignature) + ",\"a\",x"},
      {"no name behind the comma", std::string(kSignature) + ","},
      {"no signature", ",\"a\""},
      {"nothing", ""},
      {"a block size that is none", "97:abc:def,\"a\""},
      {"a character that none has", "96:a-b:def,\"a\""},
      {"one part of it", "96:abc,\"a\""},
  };
  for (const Case& test : cases) {
    EXPECT_FALSE(parse_signature_line(test.line)) << test.why;
  }
}

TEST(SignatureCsv, KnowsAListByItsHeadline) {
  EXPECT_TRUE(begins_signature_list(kSignatureHeadline));
  EXPECT_TRUE(begins_signature_list("ssdeep,1.0--blocksize:hash:hash,filename\r\n"));
  EXPECT_FALSE(begins_signature_list("ssdeep,2.0"));
  EXPECT_FALSE(begins_signature_list("ssdeep"));
  EXPECT_FALSE(begins_signature_list(""));
}

/// A list through a pipe, the first bytes of it already read.
class SignatureList : public ::testing::Test {
 protected:
  Status read(const std::string& text, std::size_t read_already = 0, std::size_t most = 100) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    UniqueFd in(ends[0]);
    {
      UniqueFd out(ends[1]);
      const std::string rest = text.substr(read_already);
      EXPECT_EQ(::write(out.get(), rest.data(), rest.size()), static_cast<ssize_t>(rest.size()));
    }
    return read_signature_list(
        in, text.substr(0, read_already),
        [&](const SignatureRow& row) {
          names_.push_back(row.name);
          return names_.size() < most;
        },
        [&](std::uint64_t line, const Error&) { wrong_.push_back(line); });
  }

  std::vector<std::string> names_;
  std::vector<std::uint64_t> wrong_;
};

std::string list_of(std::initializer_list<std::string> rest) {
  std::string out = std::string(kSignatureHeadline) + "\n";
  for (const std::string& one : rest) out += one;
  return out;
}

TEST_F(SignatureList, GoesOnBehindWhatIsNoRow) {
  const std::string row = kSignature;
  const std::string text = list_of({row + ",\"a\"\n", "nonsense\n", "\n", row + ",\"b\""});
  for (std::size_t read_already = 0; read_already <= text.size(); ++read_already) {
    names_.clear();
    wrong_.clear();
    ASSERT_TRUE(read(text, read_already));
    ASSERT_THAT(names_, ElementsAre("a", "b")) << read_already;
    ASSERT_THAT(wrong_, ElementsAre(3)) << read_already;
  }
}

TEST_F(SignatureList, StopsWhenItIsEnough) {
  const std::string row = kSignature;
  ASSERT_TRUE(read(list_of({row + ",\"a\"\n", row + ",\"b\"\n"}), 0, 1));
  EXPECT_THAT(names_, ElementsAre("a"));
}

TEST_F(SignatureList, MayBeEmpty) {
  ASSERT_TRUE(read(list_of({})));
  ASSERT_TRUE(read(std::string(kSignatureHeadline)));
  EXPECT_THAT(names_, IsEmpty());
  EXPECT_THAT(wrong_, IsEmpty());
}

TEST_F(SignatureList, BoundsALine) {
  const std::string long_name(kSignatureLineMax, 'a');
  const Status read_it = read(list_of({}) + kSignature + ",\"" + long_name, 60'000 + 60);
  ASSERT_FALSE(read_it);
  EXPECT_EQ(read_it.error().code, ErrorCode::kLimit);
  EXPECT_EQ(read_it.error().message, "line 2 is too long");
}

}  // namespace
}  // namespace shingled::milter::similar
