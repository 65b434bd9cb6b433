#include "milter/counters/envelope.h"

#include <gtest/gtest.h>

namespace shingled::milter::counters {
namespace {

std::string pieces_of(const Envelope& envelope, std::uint32_t recipients_max = 50) {
  const PieceOptions options;
  mime::PieceList pieces(options);
  add_envelope_pieces(normal_envelope(envelope, recipients_max), pieces);
  std::string out;
  for (const mime::Piece& piece : pieces.take()) {
    out += (out.empty() ? "" : " ") + std::string(to_string(piece.type)) + "=" + piece.first;
  }
  return out;
}

Envelope from_client(std::string_view address) {
  Envelope out;
  out.client = IpAddress::parse(address);
  return out;
}

TEST(EnvelopePieces, AreTheNormalFormsOfTheEnvelope) {
  Envelope envelope;
  envelope.sender = "<News-return-17-joe=example.net@Lists.Example.ORG>";
  envelope.recipients = {"<Joe+x@example.net>", "<joe@example.net>", "<ann@example.net>"};
  envelope.client = IpAddress::parse("192.0.2.77");
  envelope.helo = "MX.Example.org.";
  envelope.client_name = "out-7.mail.Example.co.uk";
  envelope.user = " Joe@Example.net ";
  EXPECT_EQ(pieces_of(envelope),
            "sender=news-return@lists.example.org sender_domain=example.org "
            "recipient=ann@example.net recipient=joe@example.net client=192.0.2.77 "
            "client_network=192.0.2.0/24 helo=mx.example.org client_domain=example.co.uk "
            "user=joe@example.net");
}

TEST(EnvelopePieces, OfABounceHaveTheDomainOfTheClient) {
  Envelope envelope;
  envelope.sender = "<>";
  envelope.client_name = "mx.example.org";
  EXPECT_EQ(pieces_of(envelope), "sender=<> sender_domain=example.org client_domain=example.org");
}

TEST(EnvelopePieces, HaveTheNetworkOfTheFamily) {
  EXPECT_EQ(pieces_of(from_client("2001:db8:1:2:3::4")),
            "client=2001:db8:1:2:3::4 client_network=2001:db8:1:2::/64");
  EXPECT_EQ(pieces_of(from_client("::ffff:192.0.2.1")),
            "client=192.0.2.1 client_network=192.0.2.0/24");
}

TEST(EnvelopePieces, KnowACountryByItsLetters) {
  Envelope envelope;
  envelope.country = "de";
  EXPECT_EQ(normal_envelope(envelope, 1).country, "DE");
  envelope.country = "D1x";
  EXPECT_EQ(normal_envelope(envelope, 1).country, "");
  envelope.country = "d";
  EXPECT_EQ(normal_envelope(envelope, 1).country, "");
}

TEST(EnvelopePieces, CountRecipientsBeyondTheBound) {
  Envelope envelope;
  for (const char* path : {"<a@x>", "<b@x>", "<A@x>", "<c@x>", "<>", "<d@x>"}) {
    envelope.recipients.emplace_back(path);
  }
  const NormalEnvelope normal = normal_envelope(envelope, 2);
  EXPECT_EQ(normal.recipients, (std::vector<std::string>{"a@x", "b@x"}));
  EXPECT_EQ(normal.recipients_dropped, 2U);
}

}  // namespace
}  // namespace shingled::milter::counters
