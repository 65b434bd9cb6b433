// Any bytes as a text: the first byte chooses form, mode and version, the rest is the content.
// Every span is inside the line, tokens come in order, and nothing becomes larger than its input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/text/text_words.h"
#include "tests/mime/unmetered.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const TextWords& words) {
  const std::size_t bytes = words.line.text.size();
  for (const Token& token : words.tokens) {
    if (token.kind == TokenKind::kUrl) continue;  // the span of a link may be outside of the line
    require(std::size_t{token.offset} + token.length <= bytes);
    require(token.length > 0);
  }
  for (const Exception& exception : words.exceptions) {
    if (exception.kind == ExceptionKind::kLink) continue;
    require(std::size_t{exception.offset} + exception.length <= bytes);
  }
  require(words.stems.size() <= words.tokens.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view content(reinterpret_cast<const char*>(data + 1), size - 1);
  MimeOptions options;
  options.compat = (data[0] & 1) != 0 ? Compat::kRspamd4 : Compat::kRspamd3;
  options.word_form = (data[0] & 2) != 0 ? WordForm::kRoot : WordForm::kPosix;
  const LinkSpan links[] = {{.offset = size / 3, .length = size / 4, .url = "http://example.com/"}};
  TextInput input{.content = content,
                  .form = (data[0] & 4) != 0 ? TextForm::kHtml : TextForm::kPlain,
                  .urls = (data[0] & 8) != 0 ? UrlMode::kStrict : UrlMode::kFull,
                  .links = {}};
  if ((data[0] & 16) != 0) input.links = links;
  check(words_of(input, options));
  return 0;
}
