#include "mime/pieces/text_pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shingled::mime {
namespace {

std::string pieces_of(const VisibleText& text, const PieceOptions& options = {},
                      Steps steps = UINT64_MAX) {
  PieceList pieces(options);
  WorkMeter meter(steps);
  add_text_pieces(text, Compat::kRspamd4, options, meter, pieces);
  std::string out;
  // A link gives its foreign host, too: TextPieces.LinksOfAFooterAreNotForeign.
  pieces.remove(PieceType::kForeignHost, [](std::string_view) { return true; });
  for (const Piece& piece : pieces.take()) {
    out += (out.empty() ? "" : " ") + std::string(to_string(piece.type)) + "=" + piece.first;
  }
  return out;
}

TEST(TextPieces, AreWhatATextNames) {
  struct Case {
    const char* why;
    std::string text;
    std::string expected;
  };
  const Case cases[] = {
      {"a link", "see https://www.example.org/a/b?x=1.",
       "link=https://www.example.org/a/b link_host=www.example.org link_domain=example.org "
       "link_path=www.example.org/a link_shape=/a/b?x"},
      {"the end of a sentence", "see http://www.example.org.",
       "link=http://www.example.org/ link_host=www.example.org link_domain=example.org"},
      {"in brackets", "(<http://example.org/>)",
       "link=http://example.org/ link_host=example.org link_domain=example.org"},
      {"a bare name", "go to example.org now",
       "link=http://example.org/ link_host=example.org link_domain=example.org"},
      {"in quotes of print", "\u201Chttp://example.org/a\u201D",
       "link=http://example.org/a link_host=example.org link_domain=example.org "
       "link_path=example.org/a"},
      {"in a Chinese text", "\u8BF7\u770B http://example.org/a\uFF0C\u8C22\u8C22",
       "link=http://example.org/a link_host=example.org link_domain=example.org "
       "link_path=example.org/a"},
      {"a path in Chinese", "http://example.org/\u8BF7\u770B ok",
       "link=http://example.org/\u8BF7\u770B link_host=example.org link_domain=example.org "
       "link_path=example.org/\u8BF7\u770B"},
      {"a bare name with a port", "go to example.org:8080/a now",
       "link=http://example.org/a link_host=example.org link_domain=example.org "
       "link_path=example.org/a"},
      {"a bare name with a colon in its path", "see example.org/Help:Me now",
       "link=http://example.org/Help:Me link_host=example.org link_domain=example.org "
       "link_path=example.org/Help:Me"},
      {"a link twice", "http://example.org/ http://example.org/",
       "link=http://example.org/ link_host=example.org link_domain=example.org"},
      {"a mail address", "write to Joe.Doe+x@example.org.", "address=joe.doe@example.org"},
      {"a mailto link", "mailto:joe@example.org?subject=x", "address=joe@example.org"},
      {"a telephone number", "call +49 30 1234567", "phone=49301234567"},
      {"an account", "pay DE89 3704 0044 0532 0130 00", "wallet=DE89370400440532013000"},
      {"a number with invisible characters", "call +49\u200B 30 12\u00AD34567",
       "phone=49301234567"},
      {"an account in wide letters", "pay \uFF24\uFF25\uFF18\uFF19 3704 0044 0532 0130 00",
       "wallet=DE89370400440532013000"},
      {"over two lines", "call\n+49 30 1234567\nnow", "phone=49301234567"},
      {"nothing", "hello", ""},
  };
  for (const Case& test : cases)
    EXPECT_EQ(pieces_of({.content = test.text}), test.expected) << test.why;
}

TEST(TextPieces, AreTheTargetsOfHtml) {
  const auto element = [](std::string name, std::string url) {
    return HtmlElement{.name = std::move(name), .css_class = {}, .url = std::move(url)};
  };
  const std::vector<HtmlElement> elements = {
      element("base", "http://base.example/"),
      element("link", "http://style.example/"),
      element("a", "/relative"),
      element("a", "#top"),
      element("a", "javascript:x()"),
      element("a", " https://user@shop.example.org:8080/%61/b?id=7#x "),
      element("a", "mailto:a@example.org,%62@example.org?cc=c@example.org"),
      element("a", "tel:+49-30-1234567"),
      element("form", "http://192.0.2.1/login"),
      element("p", ""),
  };
  EXPECT_EQ(pieces_of({.content = "bank.example and www.bank.example",
                       .form = TextForm::kHtml,
                       .elements = elements}),
            "link=http://192.0.2.1/login link=http://base.example/relative "
            "link=https://shop.example.org/a/b "
            "link_host=192.0.2.1 link_host=base.example link_host=shop.example.org "
            "link_domain=192.0.2.1 link_domain=base.example link_domain=example.org "
            "link_path=192.0.2.1/login link_path=base.example/relative "
            "link_path=shop.example.org/a "
            "address=a@example.org address=b@example.org phone=49301234567 link_shape=/a/b?id");
}

HtmlElement element_at(std::uint32_t depth, std::string name, std::string url) {
  HtmlElement element;
  element.name = std::move(name);
  element.url = std::move(url);
  element.depth = depth;
  return element;
}

TEST(TextPieces, LeadBelowTheFirstBaseOfTheDocument) {
  const std::vector<HtmlElement> drawing = {
      element_at(1, "svg", ""), element_at(2, "base", "http://drawing.example/"),
      element_at(1, "base", "http://first.example/d/"),
      element_at(1, "base", "http://second.example/"), element_at(1, "a", "x")};
  EXPECT_EQ(pieces_of({.content = "", .form = TextForm::kHtml, .elements = drawing}),
            "link=http://first.example/d/x link_host=first.example link_domain=first.example "
            "link_path=first.example/d");
  const std::vector<HtmlElement> bare = {element_at(1, "base", "http://base.example/"),
                                         element_at(1, "a", "www.bank.example")};
  const std::string found = pieces_of({.content = "", .form = TextForm::kHtml, .elements = bare});
  EXPECT_NE(found.find("link_host=base.example"), std::string::npos) << found;
  EXPECT_NE(found.find("link_host=www.bank.example"), std::string::npos)
      << found << ": for mail programs that ignore a base";
}

TEST(TextPieces, AreWhatABrowserReads) {
  HtmlElement link = element_at(1, "a", "http:&#47&#47www.example.org");
  link.target = "http://www.example.org/x";
  HtmlElement picture = element_at(1, "img", "");
  picture.picture = "https://img.example.org/a/b.png?id=7";
  HtmlElement inside = element_at(1, "img", "");
  inside.picture = "cid:a@b";
  const std::vector<HtmlElement> elements = {link, picture, inside};
  EXPECT_EQ(pieces_of({.content = "", .form = TextForm::kHtml, .elements = elements}),
            "link=http://www.example.org/x link_host=www.example.org link_domain=example.org "
            "link_path=www.example.org/x "
            "image_link=https://img.example.org/a/b.png");
}

TEST(TextPieces, MeetTheirBounds) {
  std::string text;
  for (int i = 1000; i < 1100; ++i) {
    const std::string n = std::to_string(i);
    text += "http://x";
    text += n;
    text += ".example.org/ a";
    text += n;
    text += "@example.org +49 30 123";
    text += n;
    text += '\n';
  }
  PieceOptions options;
  options.links_max = options.addresses_max = options.phones_max = 3;
  PieceList pieces(options);
  WorkMeter meter(UINT64_MAX);
  add_text_pieces({.content = text}, Compat::kRspamd4, options, meter, pieces);
  EXPECT_EQ(pieces.of_type(PieceType::kLinkHost).size(), 3U);
  EXPECT_EQ(pieces.of_type(PieceType::kLinkDomain).size(), 1U);
  EXPECT_EQ(pieces.of_type(PieceType::kAddress).size(), 3U);
  EXPECT_EQ(pieces.of_type(PieceType::kPhone).size(), 3U);
  EXPECT_GE(pieces.dropped(), 97U * 3);
}

TEST(TextPieces, AreLeftOutWhenTheWorkIsSpent) {
  EXPECT_EQ(pieces_of({.content = "http://example.org/"}, {}, 10), "");
}

std::string foreign_hosts(std::string_view text) {
  const PieceOptions options;
  PieceList pieces(options);
  WorkMeter meter(UINT64_MAX);
  add_text_pieces({.content = text}, Compat::kRspamd4, options, meter, pieces);
  std::string out;
  for (const std::string_view host : pieces.of_type(PieceType::kForeignHost)) {
    out += std::string(host) + " ";
  }
  return out;
}

TEST(TextPieces, LinksOfAFooterAreNotForeign) {
  const std::string rule = "\n" + std::string(40, '_') + "\n";
  const std::string own = "This is what I saw: http://a.example.org/";
  const std::string list = "http://list.example.org/";
  std::string long_footer;
  for (int i = 0; i < 30; ++i) long_footer += "line\n";
  struct Case {
    const char* why;
    std::string text;
    std::string hosts;
  };
  const Case cases[] = {
      {"no footer", own + "\n\nJoe\n", "a.example.org "},
      {"a footer", own + rule + list, "a.example.org "},
      {"two of them", own + rule + "a sponsor" + rule + list, "a.example.org "},
      {"a short line", own + "\n----\n" + list, "a.example.org list.example.org "},
      {"a rule far above", own + own + own + own + own + own + rule + long_footer + list,
       "a.example.org list.example.org "},
      {"nothing above", rule + own, "a.example.org "},
      {"less above than below", "Hello" + rule + own, "a.example.org "},
      {"a headline and a footer", "Hello" + rule + own + rule + list, "a.example.org "},
  };
  for (const Case& test : cases) EXPECT_EQ(foreign_hosts(test.text), test.hosts) << test.why;
}

}  // namespace
}  // namespace shingled::mime
