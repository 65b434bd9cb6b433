// Covers config/sections/similar.cpp: what is read, and the exact text of each problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;

SimilarOptions similar_of(const std::string& entries) {
  const Loaded loaded = load_settings("similar: {" + entries + "}", "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  return loaded.settings ? loaded.settings->similar : SimilarOptions{};
}

std::vector<std::string> similar_problems(const std::string& entries) {
  std::vector<std::string> out;
  for (const Problem& problem : load_settings("similar:\n" + entries, "f", {}).problems) {
    out.push_back(problem.to_string());
  }
  return out;
}

TEST(Similar, ReadsEveryKey) {
  const SimilarOptions similar = similar_of(
      "enabled: yes, lists: [{name: a}], file: /tmp/s.db, attachments: no, texts: yes, bytes_min: "
      "1K, bytes_max: 2M, "
      "parts: no, part_block_size: 384, containers: {open: no, depth_max: 2, entries_max: 10, "
      "unpacked_max: 1M, ratio_max: 50, time_max: 1s}");
  EXPECT_TRUE(similar.enabled);
  EXPECT_EQ(similar.file, "/tmp/s.db");
  EXPECT_FALSE(similar.attachments);
  EXPECT_TRUE(similar.texts);
  EXPECT_EQ(similar.bytes_min, 1024U);
  EXPECT_EQ(similar.bytes_max, 2U << 20);
  EXPECT_FALSE(similar.parts);
  EXPECT_EQ(similar.part_block_size, 384U);
  EXPECT_EQ(similar.containers, (ContainerOptions{.open = false,
                                                  .depth_max = 2,
                                                  .entries_max = 10,
                                                  .unpacked_max = 1U << 20,
                                                  .ratio_max = 50,
                                                  .time_max = std::chrono::seconds(1)}));
}

TEST(Similar, ReadsListsInTheirOrder) {
  const SimilarOptions similar = similar_of(
      "lists: [{name: bad-documents.v2}, {name: Ours, symbol: OUR_FORMS, score: -2.5, "
      "similarity_min: 80, shared_min: 0, good: yes}]");
  EXPECT_THAT(similar.lists, ElementsAre(SimilarList{.name = "bad-documents.v2",
                                                     .symbol = "SIMILAR_BAD_DOCUMENTS_V2",
                                                     .score = 0,
                                                     .similarity_min = 40,
                                                     .shared_min = 4,
                                                     .good = false},
                                         SimilarList{.name = "Ours",
                                                     .symbol = "OUR_FORMS",
                                                     .score = -2.5,
                                                     .similarity_min = 80,
                                                     .shared_min = 0,
                                                     .good = true}));
}

TEST(Similar, HasNoListsWhereNoneIsNamed) {
  for (const char* none : {"lists: []", "lists:", ""}) {
    EXPECT_TRUE(similar_of(none).lists.empty()) << none;
  }
}

TEST(Similar, CutsTheSymbolOfALongName) {
  const std::string name(64, 'a');
  const SimilarOptions similar = similar_of("lists: [{name: " + name + "}]");
  ASSERT_EQ(similar.lists.size(), 1U);
  EXPECT_EQ(similar.lists[0].symbol, "SIMILAR_" + std::string(56, 'A')) << "64 is the most";
}

TEST(Similar, RefusesWhatItDoesNotKnow) {
  struct Case {
    const char* why;
    std::string yaml;
    std::string problem;
  };
  const Case cases[] = {
      {"a slip", "  files: /a", "f:2:3: similar.files: unknown key; did you mean 'file'?"},
      {"a slip in a list", "  lists: [{name: a, similarity: 3}]",
       "f:2:21: similar.lists[0].similarity: unknown key; did you mean 'similarity_min'?"},
      {"a slip in containers", "  containers: {dept_max: 3}",
       "f:2:16: similar.containers.dept_max: unknown key; did you mean 'depth_max'?"},
      {"a duplicate key", "  texts: yes\n  texts: no",
       "f:3:3: similar.texts: duplicate key; first given in line 2"},
      {"a place that moves with the working directory", "  file: similar.db",
       "f:2:9: similar.file: 'similar.db' is not an absolute path; allowed: an absolute path, or "
       "\"\" "
       "for none"},
      {"a size with a unit of time", "  bytes_min: 4s",
       "f:2:14: similar.bytes_min: '4s' is not a size; allowed: bytes, or a number with K, M, G or "
       "T, "
       "such as 64K"},
      {"a duration without a unit", "  containers: {time_max: 500}",
       "f:2:26: similar.containers.time_max: '500' is not a duration; allowed: a number with ms, "
       "s, "
       "m, h, d or w, such as 90d or 1h30m"},
      {"no time at all", "  containers: {time_max: 0}",
       "f:2:26: similar.containers.time_max: '0' is out of range; allowed: 1ms to 1m"},
      {"nothing would be opened", "  containers: {depth_max: 0}",
       "f:2:27: similar.containers.depth_max: '0' is out of range; allowed: 1 to 64"},
      {"deeper than the stack", "  containers: {depth_max: 65}",
       "f:2:27: similar.containers.depth_max: '65' is out of range; allowed: 1 to 64"},
      {"a negative number", "  containers: {ratio_max: -1}",
       "f:2:27: similar.containers.ratio_max: '-1' is not a whole number; allowed: 1 to 1000000"},
      {"more than the memory", "  containers: {unpacked_max: 2G}",
       "f:2:30: similar.containers.unpacked_max: '2G' is out of range; allowed: 1K to 1G"},
      {"a character for every few bytes", "  part_block_size: 63",
       "f:2:20: similar.part_block_size: '63' is out of range; allowed: 64 to 1M"},
      {"no size is both", "  bytes_min: 2M\n  bytes_max: 1M",
       "f:2:14: similar.bytes_min: is more than bytes_max; allowed: at most that"},
      {"nowhere to look", "  enabled: yes\n  file: ''\n  lists: [{name: a}]",
       "f:3:9: similar.file: there are no samples without it; allowed: an absolute path, or "
       "similar.enabled: false"},
      {"nothing to compare with", "  enabled: yes",
       "f:2:3: similar.lists: none of them counts; allowed: one or more, or similar.enabled: "
       "false"},
      {"nothing to look up", "  enabled: yes\n  attachments: no\n  lists: [{name: a}]",
       "f:3:16: similar.attachments: nothing of a message is looked up; allowed: attachments: "
       "true, texts: true, or similar.enabled: false"},
      {"a map in the place of the list", "  lists: {name: a}",
       "f:2:10: similar.lists: is not a list; allowed: a list of maps such as {name: "
       "bad-documents, "
       "score: 8}, or [] for none"},
      {"a name in the place of a map", "  lists: [bad]",
       "f:2:11: similar.lists[0]: is not a list of samples; allowed: a list of maps such as {name: "
       "bad-documents, score: 8}, or [] for none"},
      {"a list without a name", "  lists: [{score: 1}]",
       "f:2:11: similar.lists[0].name: is missing; allowed: 1 to 64 letters, digits, '_', '.' or "
       "'-'"},
      {"a name with a blank", "  lists: [{name: a b}]",
       "f:2:18: similar.lists[0].name: 'a b' is not a valid name of a list; allowed: 1 to 64 "
       "letters, "
       "digits, '_', '.' or '-'"},
      {"a name that is empty", "  lists: [{name: ''}]",
       "f:2:18: similar.lists[0].name: '' is not a valid name of a list; allowed: 1 to 64 letters, "
       "digits, "
       "'_', '.' or '-'"},
      {"a name like another", "  lists: [{name: bad}, {name: Bad}]",
       "f:2:31: similar.lists[1].name: the name is also given as 'bad'; allowed: each name once, "
       "in any case of letters"},
      {"a symbol for a header", "  lists: [{name: a, symbol: A B}]",
       "f:2:29: similar.lists[0].symbol: 'A B' is not a valid symbol; allowed: a letter, then up "
       "to 63 "
       "letters, digits, '_' or '-'"},
      {"no symbol at all", "  lists: [{name: a, symbol: ''}]",
       "f:2:29: similar.lists[0].symbol: '' is not a valid symbol; allowed: a letter, then up to "
       "63 "
       "letters, digits, '_' or '-'"},
      {"a score that is not a number", "  lists: [{name: a, score: nan}]",
       "f:2:28: similar.lists[0].score: 'nan' is not a number; allowed: -1e+06 to 1e+06"},
      {"more than alike", "  lists: [{name: a, similarity_min: 101}]",
       "f:2:37: similar.lists[0].similarity_min: '101' is out of range; allowed: 0 to 100"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(similar_problems(test.yaml), ElementsAre(test.problem));
  }
}

TEST(Similar, BoundsTheNumberOfLists) {
  std::string lists = "  lists: [";
  for (int i = 0; i <= 100; ++i) lists += "{name: l" + std::to_string(i) + "}, ";
  EXPECT_THAT(similar_problems(lists + "]"),
              ElementsAre(::testing::HasSubstr("lists[100]: exceeds the limit; allowed: at most")));
  EXPECT_THAT(similar_problems("  lists: [{name: " + std::string(65, 'a') + "}]"),
              ElementsAre(::testing::HasSubstr("is not a valid name of a list")));
}

}  // namespace
}  // namespace shingled::config
