#include "milter/similar/similar_search.h"

#include <gmock/gmock.h>

#include "tests/milter/similar/temporary_library.h"
#include "tests/mime/container/archive_builder.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::similar {
namespace {

using ::shingled::testing::ManualClock;
using ::shingled::testing::noise;
using ::shingled::testing::TemporaryLibrary;
using ::shingled::testing::zip;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Attachment {
  std::string name;
  std::string bytes;
  std::string type = "application/octet-stream";
};

std::string message(const std::vector<Attachment>& attachments, const std::string& text = "hello") {
  std::string out =
      "From: a@example.org\r\nMIME-Version: 1.0\r\n"
      "Content-Type: multipart/mixed; boundary=the-very-boundary\r\n\r\n"
      "--the-very-boundary\r\nContent-Type: text/plain\r\n\r\n" +
      text + "\r\n";
  for (const Attachment& attachment : attachments) {
    out += "--the-very-boundary\r\nContent-Type: " + attachment.type +
           "\r\nContent-Disposition: attachment; filename=\"" + attachment.name +
           "\"\r\nContent-Transfer-Encoding: binary\r\n\r\n" + attachment.bytes + "\r\n";
  }
  return out + "--the-very-boundary--\r\n";
}

class SimilarSearchTest : public ::testing::Test {
 protected:
  SimilarSearchTest() : library_(file_.open()) {
    options_.enabled = true;
    options_.lists = {list("bad"), list("good", true), list("other")};
  }

  static SimilarList list(const std::string& name, bool good = false) {
    SimilarList out;
    out.name = name;
    out.symbol = "SIMILAR_" + name;
    out.good = good;
    return out;
  }
  void add(const std::string& in, const std::string& name, std::string_view bytes) {
    TemporaryLibrary::add(*library_, in, name, bytes);
  }
  SimilarFacts search(const std::string& bytes, std::chrono::seconds time = std::chrono::seconds(5),
                      mime::Steps work = 200'000'000) {
    const SimilarSearch search(options_, library_, clock_);
    return search.search(mime::analyze(bytes, {}), clock_.now() + time, work);
  }

  TemporaryLibrary file_;
  std::shared_ptr<storage::similar::SampleLibrary> library_;
  SimilarOptions options_;
  ManualClock clock_;
};

TEST_F(SimilarSearchTest, FindsAChangedAttachment) {
  const std::string sample = noise(60'000, 1);
  add("bad", "invoice.pdf", sample);
  add("other", "stranger", noise(60'000, 2));
  const SimilarFacts facts = search(message({{"rechnung.pdf", sample + noise(1024, 3)}}));
  ASSERT_EQ(facts.hits.size(), 1U);
  const SimilarHit& hit = facts.hits[0];
  EXPECT_EQ(hit.list, "bad");
  EXPECT_EQ(hit.sample, "invoice.pdf");
  EXPECT_EQ(hit.file, "rechnung.pdf");
  EXPECT_EQ(hit.part, "2");
  EXPECT_EQ(hit.entry, "");
  EXPECT_GT(hit.score, 80);
  EXPECT_GT(hit.shared, 40U);
  EXPECT_EQ(facts.pieces, 1U);
}

TEST_F(SimilarSearchTest, FindsAFileInAContainerAndNamesItsEntry) {
  const std::string program = "MZ" + noise(50'000, 4);
  add("bad", "evil.exe", program);
  const std::string inner = zip({{"x/run.exe", program}});
  const SimilarFacts facts =
      search(message({{"all.zip", zip({{"readme", noise(200'000, 5)}, {"in.zip", inner}})}}));
  ASSERT_EQ(facts.hits.size(), 3U);
  EXPECT_EQ(facts.hits[0].entry, "") << "a part of the whole file";
  EXPECT_EQ(facts.hits[0].score, 0);
  EXPECT_EQ(facts.hits[1].entry, "in.zip");
  EXPECT_EQ(facts.hits[2].entry, "in.zip!x/run.exe");
  EXPECT_EQ(facts.hits[2].score, 100);
  EXPECT_EQ(facts.containers, 2U);
}

TEST_F(SimilarSearchTest, AContainerOfOneFileIsLookedUpOnce) {
  const std::string program = "MZ" + noise(50'000, 6);
  add("bad", "evil.exe", program);
  const SimilarFacts facts = search(message({{"all.zip", zip({{"run.exe", program}})}}));
  ASSERT_EQ(facts.hits.size(), 1U);
  EXPECT_EQ(facts.hits[0].entry, "run.exe");
}

TEST_F(SimilarSearchTest, ReturnsTheBestOfEachList) {
  const std::string sample = noise(60'000, 7);
  add("bad", "far", sample.substr(0, 30'000) + noise(30'000, 8));
  add("bad", "near", sample.substr(0, 58'000));
  add("good", "ours", sample);
  add("unknown", "of no list that counts", sample);
  const SimilarFacts facts = search(message({{"a", sample}}));
  ASSERT_EQ(facts.hits.size(), 2U);
  EXPECT_EQ(facts.hits[0].sample, "near");
  EXPECT_EQ(facts.hits[1].sample, "ours");
  EXPECT_EQ(facts.hits[0].piece, facts.hits[1].piece);
}

TEST_F(SimilarSearchTest, UsesTheMinimumsOfEachList) {
  const std::string sample = noise(100'000, 9);
  add("bad", "sample", sample);
  const std::string part = noise(60'000, 10) + sample.substr(20'000, 12'000);
  struct Case {
    std::string_view why;
    std::uint32_t similarity_min;
    std::uint32_t shared_min;
    std::size_t hits;
  };
  for (const auto& [why, similarity_min, shared_min, hits] :
       {Case{"a shared part is enough", 90, 4, 1}, Case{"shared parts do not count", 90, 0, 0},
        Case{"the list requires more shared n-grams", 90, 1000, 0}}) {
    options_.lists[0].similarity_min = similarity_min;
    options_.lists[0].shared_min = shared_min;
    EXPECT_EQ(search(message({{"a", part}})).hits.size(), hits) << why;
  }
}

TEST_F(SimilarSearchTest, LooksUpThePartsThatTheSettingsEnable) {
  const std::string text = [] {
    std::string out;
    for (unsigned i = 0; i < 1500; ++i) out += "word" + std::to_string(i * 7919 % 1501) + " ";
    return out;
  }();
  add("bad", "text", text);
  struct Case {
    std::string_view why;
    std::string message;
    bool attachments;
    bool texts;
    std::size_t pieces;
  };
  const std::string in_body = message({}, text);
  const std::string attached = message({{"a.txt", text, "text/plain"}});
  for (const auto& [why, bytes, attachments, texts, pieces] :
       {Case{"the body is not an attachment", in_body, true, false, 0},
        Case{"the body is a text", in_body, false, true, 1},
        Case{"an attached text is an attachment", attached, true, false, 1},
        Case{"nothing is enabled", attached, false, false, 0},
        Case{"too small", message({{"a", text.substr(0, 4000)}}), true, true, 0}}) {
    options_.attachments = attachments;
    options_.texts = texts;
    const SimilarFacts facts = search(bytes);
    EXPECT_EQ(facts.pieces, pieces) << why;
    EXPECT_EQ(facts.hits.size(), pieces) << why;
  }
}

TEST_F(SimilarSearchTest, AddsANoteIfThereIsNoTime) {
  const std::string sample = noise(60'000, 11);
  add("bad", "sample", sample);
  const SimilarFacts facts = search(message({{"a", sample}}), std::chrono::seconds(0));
  EXPECT_THAT(facts.hits, IsEmpty());
  EXPECT_THAT(facts.notes, ElementsAre("time limit reached"));
  EXPECT_TRUE(facts.incomplete);
}

/// A small file that unpacks to two megabytes, within the allowed ratio.
std::string bomb(unsigned number) {
  const std::string block = noise(20'000, 100 + number);
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += block;
  return zip({{"a", bytes}});
}

TEST_F(SimilarSearchTest, ContainersBeforeItDoNotHideAKnownFile) {
  const std::string program = "MZ" + noise(50'000, 12);
  add("bad", "evil.exe", program);
  struct Case {
    std::string_view why;
    Attachment known;
    mime::Steps work;
  };
  std::vector<Attachment> junk;
  for (unsigned i = 0; i < 20; ++i) junk.push_back({"junk.zip", bomb(i)});
  for (const auto& [why, known, work] :
       {Case{"a file comes before all containers", {"a.exe", program}, 2'000'000},
        Case{"a container has a share of its own",
             {"a.zip", zip({{"a.exe", program}})},
             200'000'000}}) {
    std::vector<Attachment> attachments = junk;
    attachments.push_back(known);
    const SimilarFacts facts = search(message(attachments), std::chrono::seconds(5), work);
    ASSERT_EQ(facts.hits.size(), 1U) << why;
    EXPECT_EQ(facts.hits[0].sample, "evil.exe") << why;
    EXPECT_TRUE(facts.incomplete) << why;
    EXPECT_THAT(facts.notes, ::testing::Contains("work limit reached")) << why;
  }
}

TEST_F(SimilarSearchTest, IsCompleteIfEverythingWasLookedUp) {
  const SimilarFacts facts =
      search(message({{"a.zip", zip({{"a", noise(50'000, 13)}, {"b", noise(9000, 14)}})}}));
  EXPECT_FALSE(facts.incomplete);
  EXPECT_THAT(facts.notes, IsEmpty());
}

TEST(SimilarHit, DescribesItsLikeness) {
  struct Case {
    int score;
    unsigned shared;
    unsigned asked;
    std::string expected;
    double likeness;
  };
  for (const auto& [score, shared, asked, expected, likeness] :
       {Case{93, 0, 0, "similarity 93", 0.93}, Case{0, 12, 40, "12 of 40 n-grams (30 %)", 0.3},
        Case{50, 30, 40, "similarity 50 and 30 of 40 n-grams (75 %)", 0.75}}) {
    SimilarHit hit;
    hit.score = score;
    hit.shared = shared;
    hit.asked = asked;
    EXPECT_EQ(likeness_text(hit), expected);
    EXPECT_DOUBLE_EQ(hit.likeness(), likeness);
  }
}

}  // namespace
}  // namespace shingled::milter::similar
