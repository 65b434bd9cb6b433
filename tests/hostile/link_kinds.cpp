// Plain texts of links: beginnings of links, endless links, links that are searched backwards.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

HostileKind link(std::string name, std::string why, std::string piece) {
  return {"link-" + std::move(name), std::move(why),
          [piece](std::size_t bytes) { return repeat(plain(), piece, bytes); }};
}

}  // namespace

std::vector<HostileKind> link_kinds() {
  return {
      {"link-hosts", "links to different hosts",
       [](std::size_t bytes) { return count_up(plain(), "http://h", ".example.com/ ", bytes); }},
      {"link-behind-one-end", "beginnings of links that share one end",
       [](std::size_t bytes) { return repeat(plain(), "http://a.com/x", bytes) + ">"; }},
      {"link-paths", "one link with a path of the whole text",
       [](std::size_t bytes) { return repeat(plain() + "http://a.com/", "path/", bytes); }},
      {"link-users-one-sign", "beginnings of links before one at sign",
       [](std::size_t bytes) { return repeat(plain(), "http://a:b", bytes) + "@c.com"; }},
      link("row", "links without a space", "http://example.com/"),
      link("schemes", "schemes alone", "http:"),
      link("schemes-each", "every scheme", "ftp://a mailto:a@b.com tel:+1 sip:a news://b "),
      link("at-signs", "at signs alone", "@"),
      link("addresses", "addresses in a row", "a@b"),
      link("addresses-long", "addresses with long users", "a.b.c.d.e.f.g.h.i.j.k@l.m.n.o.p.com"),
      link("users", "users of addresses without end", "mailto:a.b+c"),
      link("users-dotted", "dotted users without an address", "mailto:a.b.c.d.e.f.g."),
      link("www", "beginnings of names", "www."),
      link("bare-names", "names without a space: each is looked for backwards", "a.com."),
      link("bare-names-long", "long names without a space", "abcdefgh.com.ijklmnop.net."),
      link("bare-names-high", "names in other alphabets", "\u00e4.\u00f6.com."),
      link("colons", "colons alone", ":"),
      link("brackets", "addresses of IPv6 that never close", "http://["),
      link("brackets-closed", "addresses of IPv6", "http://[2001:db8::1]/ "),
      link("angles", "links in angles that never close", "<http://a.com\n"),
      link("numbers", "hosts that are numbers", "http://0x7f.1 http://2130706433/ "),
      link("percents", "hosts in percents", "http://%61%2e%63%6f%6d/ "),
      link("idn", "hosts in other alphabets", "http://\u00e4\u00f6\u00fc.\u4e2d\u56fd/ "),
      link("backslashes", "slashes the wrong way", "http:\\\\a.com\\b "),
      link("long-labels", "hosts of 250 letters", "http://" + std::string(250, 'a') + ".com "),
      link("dotted-hosts", "hosts of 120 labels", "http://" + repeat("", "a.", 240) + "com "),
      link("telephones", "telephone numbers in a row", "tel:+1"),
      link("telephones-lines", "telephone numbers on lines", "tel:+49 30 123456 and more text\n"),
      link("ports", "ports without end", "http://a.com:99999999/ "),
      link("passwords", "passwords of 250 letters",
           "http://u:" + std::string(250, 'p') + "@a.com/ "),
  };
}

}  // namespace shingled::hostile
