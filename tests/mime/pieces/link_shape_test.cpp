#include "mime/pieces/link_shape.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

TEST(LinkShape, IsWhatLinksOfOneProgramShare) {
  struct Case {
    const char* why;
    std::string url;
    std::string shape;
  };
  const Case cases[] = {
      {"digits", "http://192.0.2.7/cl/299_md/31/12/41", "/cl/0_md/0/0/0"},
      {"another host", "https://other.example/cl/1_md/7/1/2", "/cl/0_md/0/0/0"},
      {"names of a query", "http://a.example/go.php?id=7&user=joe", "/go.php?id&user"},
      {"a random step", "http://a.example/c/aB3dE6gH9jK2mN5p/x", "/c/*/x"},
      {"a long one without digits", "http://a.example/c/abcdefghijkLmnopqrstuvwxyz/x", "/c/*/x"},
      {"a long word stays", "http://a.example/unsubscribe-from-newsletter/a/b",
       "/unsubscribe-from-newsletter/a/b"},
      {"an escape", "http://a.example/%63l/a/b", "/cl/a/b"},
      {"the fragment is not read", "http://a.example/a/b/c#d/e", "/a/b/c"},
      {"a question mark in the fragment", "http://a.example/a/b/c#d?e", "/a/b/c"},
      {"backslashes, as in browsers", "http:\\\\a.example\\a\\b/c", "/a/b/c"},
      {"no scheme", "//a.example/a/b/c", "/a/b/c"},
      {"a name alone", "www.a.example/a/b/c", "/a/b/c"},
      {"line breaks", "http:/\n/a.example/a/\tb/c?u\r\n=1", "/a/b/c?u"},
      {"a port and a user", "http://u@a.example:8080/a/b/c", "/a/b/c"},
      {"too few steps", "http://a.example/a/b", ""},
      {"only numbers", "http://a.example/1/2/3/4", ""},
      {"no path", "http://a.example", ""},
  };
  for (const Case& test : cases)
    EXPECT_EQ(link_shape(read_link(test.url).value()), test.shape) << test.why;
}

}  // namespace
}  // namespace shingled::mime
