// Covers milter/counters/message_pieces.cpp, with the vectors of tests/data/pieces.json, and
// milter/counters/mailing_list.cpp: UPDATE_GOLDEN=1 writes what is expected there.
#include "milter/counters/message_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "milter/counters/envelope.h"
#include "milter/counters/sender_proof.h"
#include "mime/pieces/text_collector.h"

namespace shingled::milter::counters {
namespace {

using Json = nlohmann::ordered_json;

Envelope envelope_of(const Json& in) {
  Envelope out;
  out.sender = in.value("sender", "<sender@example.org>");
  for (const Json& path : in.value("recipients", Json::array())) out.recipients.push_back(path);
  out.client = IpAddress::parse(in.value("client", ""));
  out.helo = in.value("helo", "");
  out.client_name = in.value("client_name", "");
  out.user = in.value("user", "");
  out.country = in.value("country", "");
  return out;
}

std::string typed_text_of(const mime::Piece& piece) {
  std::string out = std::string(to_string(piece.type)) + " = " + piece.first;
  return piece.second.empty() ? out : out + " | " + piece.second;
}

MessagePieces pieces_of(const std::string& message, const Envelope& envelope,
                        const PieceOptions& options, bool hashed = false) {
  static const mime::HashRule rule(HashOptions{.robust = true});
  const mime::Analysis analysis = mime::analyze(message, {});
  std::vector<mime::PartHash> hashes;
  if (hashed) hashes = mime::hash_message(analysis, rule);
  mime::WorkMeter meter(UINT64_MAX);
  const auto believed = believed_results(analysis.parts().header.fields, options.authserv_ids, {});
  return message_pieces({.analysis = analysis, .believed = believed, .hashes = hashes}, envelope,
                        options, meter);
}

/// The pieces of the types that the vector is about.
Json pieces_of(const Json& vector) {
  std::string message;
  for (const Json& line : vector.at("message")) message += line.get<std::string>() + "\r\n";
  PieceOptions options;
  options.authserv_ids = {"mx.example.org"};
  const Json& types = vector.at("types");
  Json out = Json::array();
  const Envelope envelope = envelope_of(vector.value("envelope", Json::object()));
  for (const mime::Piece& piece : pieces_of(message, envelope, options).pieces) {
    const bool wanted = std::find(types.begin(), types.end(), to_string(piece.type)) != types.end();
    if (wanted) out.push_back(typed_text_of(piece));
  }
  return out;
}

TEST(MessagePieces, AreThoseOfTheVectors) {
  const std::string name = SHINGLED_SOURCE_DIR "/tests/data/pieces.json";
  std::ifstream in(name);
  Json vectors = Json::parse(in);
  ASSERT_GE(vectors.size(), 40U);
  for (Json& vector : vectors) {
    const Json pieces = pieces_of(vector);
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      vector["pieces"] = pieces;
    } else {
      EXPECT_EQ(vector.at("pieces"), pieces) << vector.at("why");
    }
  }
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(name) << vectors.dump(1) << '\n';
}

TEST(MessagePieces, HaveTypesThatTheDocumentExplains) {
  std::ifstream in(SHINGLED_SOURCE_DIR "/storage/COUNTERS.md");
  std::set<std::string> rows;  // "| 8 | `subject` |"
  for (std::string line; std::getline(in, line);) rows.insert(line.substr(0, line.find("` |") + 3));
  for (const PieceTypeRow& row : piece_types()) {
    const auto number = std::to_string(static_cast<unsigned>(row.type));
    EXPECT_TRUE(rows.contains("| " + number + " | `" + std::string(row.name) + "` |")) << row.name;
  }
}

std::string long_message() {
  std::string body;
  for (int i = 0; i < 60; ++i) {
    body += "word" + std::string(1, static_cast<char>('a' + i % 26)) + "x" +
            std::string(1, static_cast<char>('a' + i / 26)) + " ";
  }
  return "From: Joe <joe@shop.example.org>\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n"
         "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: "
         "text/plain\r\n\r\n" +
         body +
         "https://a.example.net/x\r\n--x\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\n" +
         "%PDF-1.7\r\n--x--\r\n";
}

Envelope full_envelope() {
  Envelope out;
  out.sender = "<joe@example.org>";
  out.recipients = {"<a@example.com>", "<b@example.com>"};
  out.client = IpAddress::parse("192.0.2.1");
  out.helo = "mx.example.org";
  out.client_name = "mx.example.org";
  out.user = "joe";
  out.country = "DE";
  return out;
}

TEST(MessagePieces, PairWhatBelongsTogether) {
  const MessagePieces found = pieces_of(long_message(), full_envelope(), {}, true);
  std::map<PieceType, std::size_t> counts;
  for (const mime::Piece& piece : found.pieces) {
    ++counts[piece.type];
    EXPECT_EQ(is_pair(piece.type), !piece.second.empty()) << to_string(piece.type);
    EXPECT_FALSE(is_unique(piece.type));
  }
  for (const auto& [type, count] :
       std::map<PieceType, std::size_t>{{PieceType::kText, 1},
                                        {PieceType::kRobustText, 1},
                                        {PieceType::kRecipient, 2},
                                        {PieceType::kFrom, 1},
                                        {PieceType::kFromDomain, 1},
                                        {PieceType::kUser, 1},
                                        {PieceType::kSenderRecipient, 2},
                                        {PieceType::kClientSender, 1},
                                        {PieceType::kFromNetwork, 1},
                                        {PieceType::kLinkFrom, 1},
                                        {PieceType::kTextRecipient, 2},
                                        {PieceType::kTextSender, 1},
                                        {PieceType::kUserRecipient, 2},
                                        {PieceType::kUserCountry, 1},
                                        {PieceType::kRecipientSender, 2},
                                        {PieceType::kAttachment, 1},
                                        {PieceType::kAttachmentRecipient, 2},
                                        {PieceType::kAttachmentSender, 1}}) {
    EXPECT_EQ(counts[type], count) << to_string(type);
  }
  EXPECT_EQ(found.dropped, 0U);
}

TEST(MessagePieces, AreTheSameIfTheTextsWereSeenBefore) {
  const std::string message = long_message();
  const mime::Analysis analysis = mime::analyze(message, {});
  const PieceOptions options;
  mime::WorkMeter meter(UINT64_MAX);
  mime::TextCollector texts(analysis, options, meter);
  texts.add_all();
  const CountedMessage again{.analysis = analysis};
  const CountedMessage before{.analysis = analysis, .texts = &texts};
  EXPECT_EQ(message_pieces(again, full_envelope(), options, meter).pieces,
            message_pieces(before, full_envelope(), options, meter).pieces);
}

TEST(MessagePieces, StayWithinAllBounds) {
  std::string message = "From: a@example.org\r\nContent-Type: text/html\r\n\r\n";
  for (int i = 0; i < 2000; ++i) {
    message += "<a href=\"http://h" + std::to_string(i) + ".example.org/x\">x</a>\r\n";
  }
  Envelope envelope = full_envelope();
  for (int i = 0; i < 2000; ++i) {
    envelope.recipients.push_back("<r" + std::to_string(i) + "@example.org>");
  }
  PieceOptions options;
  options.pieces_max = 150;
  const MessagePieces found = pieces_of(message, envelope, options);
  // The recipients of a user have a bound of their own, so that a rule sees all of them.
  EXPECT_EQ(found.pieces.size(), 150U + kUserRecipientsMax);
  EXPECT_GT(found.dropped, 3000U);
  EXPECT_TRUE(std::is_sorted(found.pieces.begin(), found.pieces.end()));
}

TEST(MessagePieces, EndWithTheWork) {
  const std::string message = long_message();
  const mime::Analysis analysis = mime::analyze(message, {});
  mime::WorkMeter none(0);
  const MessagePieces found = message_pieces({.analysis = analysis}, full_envelope(), {}, none);
  EXPECT_GT(found.dropped, 0U);
  for (const mime::Piece& piece : found.pieces) EXPECT_NE(piece.type, PieceType::kLink);
}

std::string foreign_hosts(const std::string& fields, const PieceOptions& options = {}) {
  const std::string text = "\nI found it here: http://www.shop.example.net/\n" +
                           std::string(30, '-') + "\nhttp://lists.example.org/listinfo/team\n";
  std::string out;
  for (const mime::Piece& piece : pieces_of(fields + text, {}, options).pieces) {
    if (piece.type == PieceType::kForeignHost) out += piece.first + " ";
  }
  return out;
}

TEST(MessagePieces, HaveHostsThatAreNotOfTheList) {
  EXPECT_EQ(foreign_hosts("From: a@example.org\n"), "lists.example.org www.shop.example.net ")
      << "without a list the footer is the sender's";
  EXPECT_EQ(foreign_hosts("List-Post: <mailto:team@lists.example.org>\n"), "www.shop.example.net ");
  EXPECT_EQ(foreign_hosts("X-BeenThere: team@x.shop.example.net\n"), "");
  EXPECT_EQ(foreign_hosts("List-Archive: <http://www.shop.example.net/a>\n"), "");
  EXPECT_EQ(foreign_hosts("List-Id: <shop.example.net>\n"),
            "lists.example.org www.shop.example.net ");
}

TEST(MessagePieces, BelieveAListOnlyIfItIsProvedWhereProofsAreKnown) {
  PieceOptions options;
  options.authserv_ids = {"mx"};
  const std::string list = "List-Post: <mailto:team@shop.example.net>\n";
  const std::string all = "lists.example.org www.shop.example.net ";
  EXPECT_EQ(foreign_hosts(list), "");
  EXPECT_EQ(foreign_hosts(list, options), all);
  const std::string proof = "dkim=pass header.d=shop.example.net\n";
  EXPECT_EQ(foreign_hosts("Authentication-Results: mx; " + proof + list, options), "");
  EXPECT_EQ(foreign_hosts("Authentication-Results: other; " + proof + list, options), all);
  EXPECT_EQ(
      foreign_hosts("Authentication-Results: mx; dkim=pass header.d=x.example\n" + list, options),
      all);
}

std::string typed_pieces(const std::string& message, std::initializer_list<PieceType> types,
                         const PieceOptions& options = {}) {
  std::string out;
  for (const mime::Piece& piece : pieces_of(message, {}, options).pieces)
    if (std::ranges::find(types, piece.type) != types.end()) out += typed_text_of(piece) + "; ";
  return out;
}

TEST(MessagePieces, HaveNoNoticeOfAList) {
  const std::string body =
      "From: a@example.org\nContent-Type: text/plain\n\nThin plaster walls keep every sound of "
      "your "
      "neighbours awake. Click here to unsubscribe from such horrid news.\n";
  EXPECT_NE(typed_pieces(body, {PieceType::kNotice}), "");
  EXPECT_EQ(
      typed_pieces("List-Post: <mailto:team@lists.example.org>\n" + body, {PieceType::kNotice}),
      "");
  EXPECT_NE(typed_pieces("List-Unsubscribe: <mailto:team@lists.example.org>\n" + body,
                         {PieceType::kNotice}),
            "")
      << "whoever advertises writes this, too";
}

TEST(MessagePieces, HaveNoFromThatTheListHasRewritten) {
  struct Case {
    const char* why;
    std::string header;
    const char* expected;
  };
  const Case cases[] = {
      {"the address of the list",
       "From: Ann via Team <Team@lists.example.org>\nList-Post: <mailto:team@lists.example.org>\n",
       ""},
      {"a member's", "From: ann@lists.example.org\nList-Post: <mailto:team@lists.example.org>\n",
       "claimed_from = ann@lists.example.org; "},
      {"the same without scheme",
       "From: team@lists.example.org\nX-BeenThere: team@lists.example.org\n", ""},
      {"no list", "From: team@lists.example.org\n", "claimed_from = team@lists.example.org; "},
  };
  for (const Case& one : cases)
    EXPECT_EQ(typed_pieces(one.header + "\ntext\n", {PieceType::kFrom, PieceType::kClaimedFrom}),
              one.expected)
        << one.why;
  PieceOptions options;
  options.authserv_ids = {"mx"};
  EXPECT_NE(typed_pieces(cases[0].header + "\ntext\n", {PieceType::kClaimedFrom}, options), "")
      << "nobody proves the list";
}

}  // namespace
}  // namespace shingled::milter::counters
