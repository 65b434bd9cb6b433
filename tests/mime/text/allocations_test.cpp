// Covers mime/html/html_to_text.cpp, mime/text/text_words.cpp: memory grows linearly.
// What hostile HTML makes html_to_text and make_words allocate: no more than twice as much for
// twice the bytes, however its elements are nested, and never much at a time. A stage that looks at
// the rest of the text for each of its elements also allocates for it, so this finds what a clock
// would, with the same numbers on every machine. This program replaces operator new.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "mime/html/html_to_text.h"
#include "mime/text/text_words.h"
#include "tests/mime/unmetered.h"

namespace {

// Tests have one thread.
std::size_t allocated = 0;  // bytes, ever
std::size_t held = 0;       // bytes, now
std::size_t held_max = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t usable = malloc_usable_size(memory);
  allocated += usable;
  held += usable;
  held_max = std::max(held_max, held);
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) held -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// Not inlined, so that the compiler does not see free() undo a new of its own.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}

namespace shingled::mime {
namespace {

struct Cost {
  std::size_t allocated = 0;
  std::size_t held_max = 0;
};

Cost cost_of(std::string_view html, Compat compat) {
  const Cost before{allocated, held};
  held_max = held;
  MimeOptions options;
  options.compat = compat;
  const HtmlText text = read_html(html, {}, compat);
  const TextWords words = words_of({.content = text.content,
                                    .form = TextForm::kHtml,
                                    .urls = UrlMode::kStrict,
                                    .links = text.links},
                                   options);
  return {allocated - before.allocated, held_max - before.held_max};
}

/// `head`, `piece` so often, `tail`.
struct Kind {
  const char* why;
  std::string head, piece, tail;
  [[nodiscard]] std::string make(std::size_t bytes) const {
    std::string html = head;
    while (html.size() < bytes) html += piece;
    return html + tail;
  }
};

const Kind kKinds[] = {
    {"each link prints the text of all links inside", "", "<a href=http://a.b>a@b.c ", ""},
    {"the same, with a longer text", "", "<a href=x>a@b.c www.d.e http://f.g/ tel:+49 ", ""},
    {"links without a text of their own", "", "<a href=x>", "www.a.com"},
    {"a long address for each", "", "<a href='http://a.b/" + std::string(999, 'c') + "'>a@b.c ",
     ""},
    {"white space at the end of each link", "", "<a href=x>a&#32;&#32;&#32;&#32;&#32;", ""},
    {"nothing but nesting", "", "<div>", ""},
    {"a class for each rule", "<style>.a,.b,.c{color:red}</style>", "<p class='a b c d e f'>x", ""},
    {"names that HTML does not have", "", "<x-y-z>a</x-y-z>", ""},
    {"closing tags", "", "<p></b></i></u>", ""},
};

TEST(Html, AllocatesTwiceAsMuchForTwiceTheBytes) {
  constexpr std::size_t kBytes = std::size_t{16} * 1024;
  constexpr double kRatioMax = 2.6;  // vectors grow by steps
  for (const Kind& kind : kKinds) {
    for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
      cost_of(kind.make(kBytes), compat);  // tables and caches are made
      const Cost one = cost_of(kind.make(kBytes), compat);
      const Cost two = cost_of(kind.make(2 * kBytes), compat);
      EXPECT_LE(static_cast<double>(two.allocated), kRatioMax * static_cast<double>(one.allocated))
          << kind.why;
    }
  }
}

const Kind kLargeKinds[] = {
    {"one address", "<a href='", "http://a.b/@", "'>www.a.com</a>"},
    {"one address for many links", "", "<a href='http://a.b/" + std::string(9999, 'c') + "'>a@b.c ",
     ""},
    {"one name", "<", "x", ">a"},
    {"one class", "<style>.a{color:red}</style><p class='", "a ", "'>a"},
    {"one style", "<p style='", "color:red;", "'>a"},
    {"one picture's text", "<img alt='", "a ", "'>a"},
    {"selectors", "<style>", ".a,", "{color:red}</style>a"},
    {"selectors of many rules", "<style>", ".a{color:red}#b", "</style>a"},
    {"pictures", "", "<img alt=aaaaaaaaaaaaaaaaaaaaaaaa>", ""},
    {"closing tags", "", "<p></b>", ""},
    {"comments", "", "<!---->", ""},
    {"lines", "", "a<br>", ""},
    {"signs of addresses", "", "@", ""},
    {"words of one letter", "", "a ", ""},
};

// The document is not counted: it is the message's own.
TEST(Html, HoldsLittleAtATime) {
  constexpr std::size_t kBytes = std::size_t{4} * 1024 * 1024;
  constexpr std::size_t kHeldMax = std::size_t{40} * 1024 * 1024;
  for (const Kind& kind : kLargeKinds) {
    const std::string html = kind.make(kBytes);
    for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
      EXPECT_LE(cost_of(html, compat).held_max, kHeldMax) << kind.why;
    }
  }
}

}  // namespace
}  // namespace shingled::mime
