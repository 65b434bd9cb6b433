#include "milter/filter/lookup_order.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::filter {
namespace {

using mime::PartHash;
using mime::PartPlace;

PartHash hash(const char* part, PartPlace place, std::uint64_t bytes) {
  PartHash out;
  out.part = part;
  out.place = place;
  out.bytes = bytes;
  return out;
}

struct Case {
  const char* why;
  std::vector<PartHash> hashes;
  std::size_t count_max;
  std::string expected;
};

TEST(LookupOrder, AsksWhatTellsMostFirst) {
  const Case cases[] = {
      {"an ordinary message stays as it is",
       {hash("1.1", PartPlace::kBody, 10), hash("1.2", PartPlace::kBody, 90),
        hash("2", PartPlace::kAttachment, 50)},
       1000,
       "1.1 1.2 2"},
      {"the body is asked first, wherever it stands",
       {hash("1", PartPlace::kArchive, 9000), hash("2", PartPlace::kAttachment, 9000),
        hash("3", PartPlace::kText, 9000), hash("4", PartPlace::kBody, 1)},
       1000,
       "4 3 2 1"},
      {"small attachments do not hide a large one",
       {hash("1", PartPlace::kAttachment, 1), hash("2", PartPlace::kAttachment, 2),
        hash("3", PartPlace::kAttachment, 900)},
       1,
       "3"},
      {"nor small texts and archives",
       {hash("1", PartPlace::kText, 1), hash("2", PartPlace::kText, 2),
        hash("3", PartPlace::kArchive, 1), hash("4", PartPlace::kArchive, 2)},
       1000,
       "2 1 4 3"},
      {"of equal ones the first",
       {hash("1", PartPlace::kText, 5), hash("2", PartPlace::kText, 5),
        hash("3", PartPlace::kText, 5)},
       2,
       "1 2"},
      {"nothing to ask", {}, 1, ""},
  };
  for (const Case& c : cases) {
    std::string order;
    for (const PartHash& one : in_order_of_value(c.hashes, c.count_max))
      order += (order.empty() ? "" : " ") + one.part;
    EXPECT_EQ(order, c.expected) << c.why;
  }
}

}  // namespace
}  // namespace shingled::milter::filter
