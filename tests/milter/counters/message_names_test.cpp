#include "milter/counters/message_names.h"

#include <gtest/gtest.h>

#include "mime/message/header_block.h"
#include "mime/model/work_meter.h"

namespace shingled::milter::counters {
namespace {

using features::Name;

struct NamesCase {
  const char* why;
  const char* header;
  const char* user;
  Name name;
  const char* expected;
};

const NamesCase kCases[] = {
    {"not proved", "From: News <news@shop.example.com>\n", "", Name::kFrom, "unknown"},
    {"claimed", "From: News <NEWS@Shop.Example.com>\n", "", Name::kClaimedFrom,
     "news@shop.example.com"},
    {"proved by DKIM",
     "Authentication-Results: mx.here.example; dkim=pass header.d=example.com\n"
     "From: News <news+1@mail.shop.example.com>\n",
     "", Name::kFrom, "news+1@mail.shop.example.com"},
    {"its whole domain",
     "Authentication-Results: mx.here.example; dkim=pass header.d=example.com\n"
     "From: News <news@mail.shop.example.com>\n",
     "", Name::kFromDomain, "mail.shop.example.com"},
    {"results that another server, or the sender, wrote",
     "Authentication-Results: mx.shop.example.com; dkim=pass header.d=example.com\n"
     "From: news@shop.example.com\n",
     "", Name::kFrom, "unknown"},
    {"a signature of another domain",
     "Authentication-Results: mx.here.example; dkim=pass header.d=evil.example\n"
     "From: news@shop.example.com\n",
     "", Name::kFrom, "unknown"},
    {"who has logged in", "From: joe@here.example\n", "joe", Name::kFrom, "joe@here.example"},
    {"two addresses prove none",
     "Authentication-Results: mx.here.example; dkim=pass header.d=example.com\n"
     "From: news@shop.example.com, evil@evil.example\n",
     "", Name::kFrom, "unknown"},
    {"but both are claimed", "From: news@shop.example.com, evil@evil.example\n", "",
     Name::kClaimedFrom, "news@shop.example.com, evil@evil.example"},
    {"two fields prove none, whoever has logged in",
     "From: joe@here.example\nFrom: evil@evil.example\n", "joe", Name::kFrom, "unknown"},
    {"nobody looked for signatures", "From: a@b.example\n", "", Name::kDkimDomain, "unknown"},
    {"there is none", "Authentication-Results: mx.here.example; spf=pass\nFrom: a@b.example\n", "",
     Name::kDkimDomain, "none"},
    {"a list that anybody can name", "List-Id: News <News.shop.example.com>\n", "", Name::kListId,
     "news.shop.example.com"},
    {"is not proved", "List-Id: News <news.shop.example.com>\n", "", Name::kProvedListId,
     "unknown"},
    {"but by its own domain",
     "Authentication-Results: mx.here.example; dkim=pass header.d=example.com\n"
     "List-Id: News <news.shop.example.com>\n",
     "", Name::kProvedListId, "news.shop.example.com"},
    {"no list", "From: a@b.example\n", "", Name::kListId, "none"},
    {"an encoded subject", "Subject: =?utf-8?Q?Your_=20Invoice?=\n", "", Name::kSubject,
     "your invoice"},
    {"an international domain",
     "From: a@B\xC3\xBC"
     "cher.example\n",
     "", Name::kClaimedFromDomain, "xn--bcher-kva.example"},
    {"a bounce", "From: a@b.example\n", "", Name::kSenderDomain, "none"},
    {"its sender", "From: a@b.example\n", "", Name::kSender, "<>"},
    {"recipients", "From: a@b.example\n", "", Name::kRecipient,
     "me@here.example, abuse@here.example"},
    {"no login", "From: a@b.example\n", "", Name::kUser, "none"},
    {"no name of the client", "From: a@b.example\n", "", Name::kClientDomain, "none"},
    {"the client", "From: a@b.example\n", "", Name::kClient, "192.0.2.1"},
};

TEST(MessageNames, AreKnownAsFarAsTheyAreProved) {
  const std::vector<std::string> ours = {"mx.here.example"};
  for (const NamesCase& c : kCases) {
    const std::string message = std::string(c.header) + "\nbody\n";
    const mime::HeaderBlock header = mime::split_header_block(message, MimeOptions{});
    mime::WorkMeter work(mime::steps_for(message.size(), MimeOptions{}.work_max));
    Envelope envelope;
    envelope.sender = "<>";
    envelope.recipients = {"<Me@here.example>", "<abuse@here.example>", "<me@here.example>"};
    envelope.client = IpAddress::parse("192.0.2.1");
    envelope.user = c.user;
    const auto names =
        message_names({.fields = header.fields, .authserv_ids = ours}, envelope, work);
    EXPECT_EQ(to_string(names, c.name), c.expected) << c.why;
  }
}

TEST(MessageNames, AreUnknownWhereTheEnvelopeIsNotThatOfTheMessage) {
  mime::WorkMeter work(mime::steps_for(0, MimeOptions{}.work_max));
  const auto names =
      message_names({.fields = {}, .authserv_ids = {}, .whole_envelope = false}, {}, work);
  for (const Name name : {Name::kUser, Name::kClient, Name::kClientDomain, Name::kRecipient,
                          Name::kSender, Name::kHelo})
    EXPECT_FALSE(names.is_known(name)) << features::row_of(name).word;
}

TEST(MessageNames, HaveBounds) {
  mime::WorkMeter work(mime::steps_for(0, MimeOptions{}.work_max));
  Envelope envelope;
  for (std::size_t i = 0; i <= kNameValuesMax; ++i)
    envelope.recipients.push_back("<u" + std::to_string(i) + "@here.example>");
  const auto names = message_names({.fields = {}, .authserv_ids = {}}, envelope, work);
  EXPECT_EQ(names.values(Name::kRecipient).size(), kNameValuesMax);
  EXPECT_FALSE(names.is_complete(Name::kRecipient));
}

}  // namespace
}  // namespace shingled::milter::counters
