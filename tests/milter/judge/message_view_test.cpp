// Covers milter/judge/message/message_view.cpp.
// A message as everybody sees it: one pass makes what separate passes would make.
#include "milter/judge/message/message_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "milter/counters/counted_hashes.h"

namespace shingled::milter::judge {
namespace {

using Want = MessageView::Want;

const std::string kMessage =
    "From: Ann <ann@shop.example>\r\n"
    "Authentication-Results: mx.here.example; dkim=pass header.d=shop.example\r\n"
    "Subject: Garden\r\n\r\n"
    "Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and "
    "fountains before everything has gone. Our carpenters build each bench by hand from seasoned "
    "oak, our gardeners test every hose for three summers, and our drivers bring it to your door "
    "within two days, whatever the weather does: http://one.example.org/a "
    "http://two.example.net/b\r\n";

counters::Envelope envelope() {
  counters::Envelope out;
  out.sender = "<ann@shop.example>";
  out.recipients = {"<bob@here.example>"};
  return out;
}

TEST(ViewPlan, RulesWithTheSameOptionsShareTheirHashes) {
  ViewPlan plan{Settings{}};
  HashOptions other;
  other.min_bytes = 1;
  EXPECT_EQ(plan.add({}), 0U);
  EXPECT_EQ(plan.add(other), 1U);
  EXPECT_EQ(plan.add({}), 0U);
  EXPECT_FALSE(plan.counts());
  plan.add_counted();
  EXPECT_TRUE(plan.counts());
  MessageView view(kMessage, plan);
  view.hash(Want::kHashes);
  EXPECT_EQ(view.asked().size(), 2U) << "those of the counters are not asked for";
}

TEST(MessageView, MakesThePiecesThatSeparatePassesMake) {
  ViewPlan plan{Settings{}};
  plan.add_counted();
  MessageView view(kMessage, plan);
  view.hash(Want::kPieces);
  const auto pieces = view.pieces(envelope()).pieces;

  const mime::Analysis analysis = mime::analyze(kMessage, {});
  const auto texts = mime::hash_message(analysis, mime::HashRule(counters::counted_text_options()));
  const auto shapes =
      mime::hash_message(analysis, mime::HashRule(counters::counted_structure_options()));
  const auto hashes = counters::counted_hashes(texts, shapes);
  mime::WorkMeter work(mime::kStepsAMegabyte);
  EXPECT_EQ(pieces,
            counters::message_pieces({.analysis = analysis, .hashes = hashes}, envelope(), {}, work)
                .pieces);
  EXPECT_EQ(pieces, pieces_of(kMessage, plan, envelope()).pieces);
  EXPECT_FALSE(pieces.empty());
}

// The counters may share the hashes of a rule only if they are the same.
TEST(MessageView, MakesTheSamePiecesBesideAnyRule) {
  ViewPlan alone{Settings{}};
  alone.add_counted();
  ViewPlan beside{Settings{}};
  HashOptions robust;
  robust.robust = true;
  static_cast<void>(beside.add(HashOptions{}));
  static_cast<void>(beside.add(robust));
  beside.add_counted();
  EXPECT_EQ(pieces_of(kMessage, alone, envelope()).pieces,
            pieces_of(kMessage, beside, envelope()).pieces);
}

TEST(MessageView, ReadsTextsOnlyIfTheyAreWanted) {
  ViewPlan plan{Settings{}};
  static_cast<void>(plan.add({}));
  MessageView hashes(kMessage, plan);
  hashes.hash(Want::kHashes);
  EXPECT_FALSE(hashes.has_texts());
  EXPECT_FALSE(hashes.asked()[0].empty());

  MessageView texts(kMessage, plan);
  texts.hash(Want::kPieces);
  EXPECT_FALSE(texts.has_pieces()) << "the plan does not count";
  ASSERT_TRUE(texts.has_texts());
  EXPECT_EQ(texts.links(), 2U);
  EXPECT_GT(texts.texts().words(), 10U);
  EXPECT_EQ(texts.body().substr(0, 6), "Please");
}

TEST(MessageView, BelievesOnlyServersOfOurs) {
  Settings settings;
  ViewPlan nobody(settings);
  MessageView unknown(kMessage, nobody);
  unknown.hash(Want::kTexts);
  EXPECT_FALSE(unknown.results().has_value());

  settings.counters.pieces.authserv_ids = {"mx.here.example"};
  ViewPlan ours(settings);
  MessageView known(kMessage, ours);
  known.hash(Want::kTexts);
  ASSERT_TRUE(known.results().has_value());
  EXPECT_EQ(known.results()->size(), 1U);

  const auto names = names_of(known.header(), ours, envelope(), /*whole_envelope=*/true);
  EXPECT_TRUE(names.is_known(features::Name::kFrom));
  EXPECT_FALSE(names_of(unknown.header(), nobody, envelope(), /*whole_envelope=*/true)
                   .is_known(features::Name::kFrom));
}

}  // namespace
}  // namespace shingled::milter::judge
