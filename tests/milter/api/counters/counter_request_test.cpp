// Covers milter/api/counters/counter_request.cpp, milter/api/counters/counter_reader.cpp,
// milter/api/counters/counter_fields.cpp, milter/api/counters/requested_piece.cpp.
#include "milter/api/counters/counter_request.h"

#include <gtest/gtest.h>

#include <string>

#include "storage/counters/addition.h"

namespace shingled::milter::api {
namespace {

using storage::counters::Direction;
using storage::counters::Measure;
using storage::counters::Period;
using storage::counters::Window;
using Field = CounterField;

constexpr CounterKeyBytes kSite = {1, 2, 3};
constexpr CounterForm kAsk = {{Field::kSpace, Field::kPieces, Field::kWindows}, {Field::kPieces}};
constexpr CounterForm kTake = {{Field::kSpace, Field::kPieces, Field::kWindows, Field::kAdd},
                               {Field::kPieces, Field::kAdd},
                               true};
constexpr CounterForm kTop = {
    {Field::kSpace, Field::kType, Field::kMeasure, Field::kWindow, Field::kRising, Field::kMost},
    {}};
constexpr CounterForm kLearn = {{Field::kAdditions}, {Field::kAdditions}, true};

std::string error_of(const std::string& body, const CounterForm& form) {
  const auto request = parse_counter_request(body, form, kSite);
  return request ? "" : request.error().message;
}

TEST(CounterRequest, ReadsTheExampleOfTheSpecification) {
  const auto request = parse_counter_request(
      R"({"space":"out","pieces":[{"type":"link_host","piece":"example.org"},
          {"type":14,"shingle":"5791f8cac2b7d8dd"},
          {"type":"sender_recipient","piece":["a@x","b@y"]}],
          "add":{"mass":1,"spam":1},"windows":["10m","1h","1d","14d"]})",
      kTake, kSite);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->direction, Direction::kOut);
  ASSERT_EQ(request->pieces.size(), 3U);
  EXPECT_EQ(request->pieces[0].key,
            counter_of(kSite, Direction::kOut, PieceType::kLinkHost, "example.org"));
  EXPECT_EQ(request->pieces[1].key.shingle, 0x5791f8cac2b7d8ddU);
  EXPECT_EQ(request->pieces[1].key.type, PieceType::kFrom);
  const auto addition = request->addition();
  EXPECT_EQ(addition.counters.size(), 2U);
  ASSERT_EQ(addition.pairs.size(), 1U);
  EXPECT_EQ(addition.pairs[0],
            pair_of(kSite, Direction::kOut, PieceType::kSenderRecipient, "a@x", "b@y"));
  EXPECT_EQ(addition.amounts.of(Measure::kSpam), 1U);
  EXPECT_EQ(addition.amounts.of(Measure::kHam), 0U);
  ASSERT_EQ(request->windows.size(), 4U);
  EXPECT_EQ(request->windows[3], (Window{Period::Unit::kDay, 14, 0}));
}

TEST(CounterRequest, ReadsWhatPagesAskBesides) {
  const auto top = parse_counter_request(
      R"({"type":"user","measure":"complaint","window":"6h","rising":true,"most":7})", kTop, kSite);
  ASSERT_TRUE(top) << top.error().message;
  EXPECT_EQ(top->type, PieceType::kUser);
  EXPECT_EQ(top->measure, Measure::kComplaint);
  EXPECT_EQ(top->window, (Window{Period::Unit::kSlot, 36, 0}));
  EXPECT_TRUE(top->rising);
  EXPECT_EQ(top->most, 7U);
  EXPECT_EQ(parse_counter_request("", kTop, kSite)->most, 20U) << "an empty body is {}";

  const auto learn = parse_counter_request(
      R"({"additions":[{"pieces":[{"type":"link_from","shingle":"00000000000000AB",
          "unique":"00000000000100ab"}],"time":1200,"add":{"mass":2},"space":"out"},
          {"time":1199,"pieces":[],"add":{"bytes":9223372036854775807}}]})",
      kLearn, kSite);
  ASSERT_TRUE(learn) << learn.error().message;
  ASSERT_EQ(learn->additions.size(), 2U);
  EXPECT_EQ(learn->additions[0].slot, 2U);
  EXPECT_EQ(learn->additions[1].slot, 1U);
  ASSERT_EQ(learn->additions[0].addition.pairs.size(), 1U);
  EXPECT_EQ(learn->additions[0].addition.pairs[0].key.shingle, 0xABU);
  EXPECT_EQ(learn->additions[0].addition.pairs[0].key.direction, Direction::kOut);
  EXPECT_EQ(learn->additions[0].addition.pairs[0].unique, 0x100ABU);
  EXPECT_TRUE(learn->additions[1].addition.counters.empty());
}

struct Wrong {
  const char* why;
  std::string body;
  const CounterForm& form;
  std::string expected;  ///< how the error begins
};

void expect_errors(std::span<const Wrong> cases) {
  for (const Wrong& test : cases) {
    const std::string error = error_of(test.body, test.form);
    EXPECT_EQ(error.substr(0, test.expected.size()), test.expected) << test.why << ": " << error;
    EXPECT_FALSE(error.empty()) << test.why;
    EXPECT_LT(error.size(), 200U) << test.why;
  }
}

std::string with_piece(const std::string& piece) {
  return R"({"pieces":[{"type":8,"piece":"ok"},)" + piece + R"(],"add":{"mass":1}})";
}
std::string with_add(const std::string& add) { return R"({"pieces":[],"add":)" + add + "}"; }

TEST(CounterRequest, NamesTheElementThatIsWrong) {
  const Wrong cases[] = {
      {"not JSON", "hello", kAsk, "byte 1: is not JSON"},
      {"cut off", R"({"pieces":[)", kAsk, "byte "},
      {"text behind it", R"({"pieces":[]} x)", kAsk, "byte "},
      {"not UTF-8", "{\"pieces\":[{\"piece\":\"\xff\"}]}", kAsk, "byte "},
      {"a list", "[]", kAsk, "must be an object"},
      {"a number", "1", kAsk, "must be an object"},
      {"null", "null", kAsk, "must be an object"},
      {"a member is missing", "{}", kAsk, "pieces: is missing"},
      {"a number that no number can be", R"({"windows":[1e400]})", kAsk,
       "windows[0]: must be a text"},
      {"an unknown member", R"({"peices":[]})", kAsk, "unknown member 'peices', did you mean 'pi"},
      {"a member of another page", R"({"pieces":[],"add":{}})", kAsk, "unknown member 'add'"},
      {"a member comes twice", R"({"pieces":[],"pieces":[]})", kAsk, "pieces: comes twice"},
      {"a space", R"({"space":"inside"})", kAsk, "space: must be \"in\" or \"out\""},
      {"a space that is a number", R"({"space":1})", kAsk, "space: must be a text"},
      {"windows", R"({"windows":["1h","15m"]})", kAsk, "windows[1]: must be a multiple"},
      {"a long window", R"({"windows":["15d"]})", kAsk, "windows[0]: must be a multiple"},
      {"a window that is a number", R"({"windows":[1]})", kAsk, "windows[0]: must be a text"},
      {"no list of windows", R"({"windows":"1h"})", kAsk, "windows: must be a list"},
      {"most", R"({"most":0})", kTop, "most: must be a whole number from 1"},
      {"most of all", R"({"most":1001})", kTop, "most: must be a whole number from 1"},
      {"rising", R"({"rising":1})", kTop, "rising: must be true or false"},
      {"a type that is true", R"({"type":true})", kTop, "type: must be the name"},
      {"a measure", R"({"measure":"mas"})", kTop, "measure: unknown measure 'mas', did you mean"},
      {"the time of an addition", R"({"additions":[{"time":-5}]})", kLearn,
       "additions[0].time: must be a Unix time"},
      {"a time far away", R"({"additions":[{"time":99999999999999}]})", kLearn,
       "additions[0].time: must be a Unix time"},
      {"an addition without a time", R"({"additions":[{"pieces":[],"add":{"mass":1}}]})", kLearn,
       "additions[0].time: is missing"},
      {"a piece of an addition",
       R"({"additions":[{"time":5,"pieces":[{"type":8,"piece":"a"},{"type":"x"}]}]})", kLearn,
       "additions[0].pieces[1].type: unknown type 'x'"},
      {"an addition that is null", R"({"additions":[null]})", kLearn, "additions[0]: must be an o"},
  };
  expect_errors(cases);
}

TEST(CounterRequest, RefusesPiecesThatAreWrong) {
  const Wrong cases[] = {
      {"an unknown type", with_piece(R"({"type":"link_hots","piece":"a"})"), kTake,
       "pieces[1].type: unknown type 'link_hots', did you mean 'link_host'?"},
      {"an unknown number", with_piece(R"({"type":200,"piece":"a"})"), kTake,
       "pieces[1].type: unknown type '200'"},
      {"no type", with_piece(R"({"piece":"a"})"), kTake, "pieces[1]: type is missing"},
      {"no piece", with_piece(R"({"type":8})"), kTake, "pieces[1]: needs either piece or shingle"},
      {"both", with_piece(R"({"type":8,"piece":"a","shingle":"5791f8cac2b7d8dd"})"), kTake,
       "pieces[1]: needs either"},
      {"an empty list and a shingle",
       with_piece(R"({"type":8,"piece":[],"shingle":"5791f8cac2b7d8dd"})"), kTake,
       "pieces[1]: needs either"},
      {"an empty piece", with_piece(R"({"type":8,"piece":""})"), kTake,
       "pieces[1].piece: must not be empty"},
      {"two texts for one", with_piece(R"({"type":8,"piece":["a","b"]})"), kTake,
       "pieces[1]: piece of 'subject' must be a text"},
      {"one text for two", with_piece(R"({"type":30,"piece":"a"})"), kTake,
       "pieces[1]: piece of 'sender_recipient' must be a list of two texts"},
      {"one in a list", with_piece(R"({"type":30,"piece":["a"]})"), kTake,
       "pieces[1]: piece of 'sender_recipient' must be a list of two texts"},
      {"three texts", with_piece(R"({"type":30,"piece":["a","b","c"]})"), kTake,
       "pieces[1].piece[2]: must be a list of two"},
      {"a number in a list", with_piece(R"({"type":30,"piece":["a",1]})"), kTake,
       "pieces[1].piece[1]: must be a text"},
      {"a number", with_piece(R"({"type":8,"piece":1})"), kTake, "pieces[1].piece: must be a text"},
      {"a short shingle", with_piece(R"({"type":8,"shingle":"5791"})"), kTake,
       "pieces[1].shingle: must be 16 hex"},
      {"a negative shingle", with_piece(R"({"type":8,"shingle":"-791f8cac2b7d8dd"})"), kTake,
       "pieces[1].shingle: must be 16 hex"},
      {"a unique is not added to", with_piece(R"({"type":31,"piece":"a"})"), kTake,
       "pieces[1]: 'unique_recipients' is not added to: it grows with 'sender_recipient'"},
      {"a pair without its unique", with_piece(R"({"type":30,"shingle":"5791f8cac2b7d8dd"})"),
       kTake, "pieces[1]: unique is missing"},
      {"a unique of what is no pair",
       with_piece(R"({"type":8,"shingle":"5791f8cac2b7d8dd","unique":"5791f8cac2b7d8dd"})"), kTake,
       "pieces[1]: unique belongs to"},
      {"a unique of another pair",
       with_piece(R"({"type":30,"shingle":"5791f8cac2b7d8dd","unique":"5791f8cac2b7d8de"})"), kTake,
       "pieces[1]: the last four digits of shingle and unique"},
      {"a piece that is a text", with_piece(R"("a")"), kTake, "pieces[1]: must be an object"},
      {"a type that comes twice", with_piece(R"({"type":8,"type":8})"), kTake,
       "pieces[1].type: comes twice"},
      {"an object as piece", with_piece(R"({"type":8,"piece":{}})"), kTake,
       "pieces[1].piece: must be a text"},
      {"not an object of pieces", R"({"pieces":{}})", kTake, "pieces: must be a list"},
      {"an unknown member", with_piece(R"({"typ":8})"), kTake,
       "pieces[1]: unknown member 'typ', did you mean 'type'?"},
      {"a piece of a megabyte",
       with_piece(R"({"type":8,"piece":")" + std::string(1 << 20, 'a') + R"("})"), kTake,
       "pieces[1].piece: at most 65536 bytes"},
  };
  expect_errors(cases);
  EXPECT_EQ(
      error_of(R"({"pieces":[{"type":31,"piece":"a"},{"type":30,"shingle":"0000000000000001"}]})",
               kAsk),
      "")
      << "they may be asked for";
}

TEST(CounterRequest, RefusesAmountsThatAreWrong) {
  const std::string what = "add.mass: must be a whole number from 0 to 9223372036854775807";
  const Wrong cases[] = {
      {"negative", with_add(R"({"mass":-1})"), kTake, what},
      {"a fraction", with_add(R"({"mass":1.5})"), kTake, what},
      {"a whole number as fraction", with_add(R"({"mass":1.0})"), kTake, what},
      {"too large", with_add(R"({"mass":9223372036854775808})"), kTake, what},
      {"far too large", with_add(R"({"mass":1e400})"), kTake, what},
      {"far too small", with_add(R"({"mass":-1e400})"), kTake, what},
      {"not a number", with_add(R"({"mass":NaN})"), kTake, "byte "},
      {"a text", with_add(R"({"mass":"1"})"), kTake, what},
      {"null", with_add(R"({"mass":null})"), kTake, what},
      {"an object", with_add(R"({"mass":{}})"), kTake, what},
      {"a list", with_add(R"({"mass":[1]})"), kTake, what},
      {"an unknown measure", with_add(R"({"mas":1})"), kTake,
       "add: unknown measure 'mas', did you mean 'mass'?"},
      {"a measure comes twice", with_add(R"({"mass":1,"mass":1})"), kTake, "add.mass: comes twice"},
      {"nothing", with_add("{}"), kTake, "add: must have a measure above 0"},
      {"zero", with_add(R"({"mass":0})"), kTake, "add: must have a measure above 0"},
      {"a number", with_add("1"), kTake, "add: must be an object of measures"},
  };
  expect_errors(cases);
}

TEST(CounterRequest, IsBounded) {
  const auto many = [](std::size_t count) {
    std::string body = R"({"pieces":[)";
    for (std::size_t i = 0; i < count; ++i)
      body += std::string(i == 0 ? "" : ",") + R"({"type":8,"piece":"a"})";
    return body + "]}";
  };
  EXPECT_EQ(error_of(many(4096), kAsk), "");
  EXPECT_EQ(error_of(many(4097), kAsk), "pieces: at most 4096 pieces in one request");
  EXPECT_EQ(error_of(many(100'000), kAsk), "pieces: at most 4096 pieces in one request");
  std::string windows = R"({"windows":["1h")";
  for (int i = 0; i < 40; ++i) windows += R"(,"1h")";
  EXPECT_EQ(error_of(windows + "]}", kAsk), "windows[32]: at most 32 windows");
  // A parser that calls itself would need a megabyte of stack.
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(error_of(deep, kAsk), "must be an object");
  EXPECT_EQ(error_of(R"({"pieces":)" + deep, kAsk),
            "pieces[0]: must be an object: {\"type\", \"piece\"}");
  std::string objects = R"({"pieces":[)";
  for (int i = 0; i < 100'000; ++i) objects += R"({"piece":)";
  EXPECT_EQ(error_of(objects, kAsk), "pieces[0].piece: must be a text, or a list of two texts");
  const std::string word(100'000, 'w');
  EXPECT_LT(error_of(R"({"pieces":[{"type":")" + word + R"("}]})", kAsk).size(), 200U);
  EXPECT_LT(error_of("{\"" + word + "\":1}", kAsk).size(), 200U);
}

}  // namespace
}  // namespace shingled::milter::api
