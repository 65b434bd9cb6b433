// Words of any text with any exceptions. The first byte chooses the locale form, the second is the
// number of exceptions. Each exception has three bytes: distance to the previous one, length, kind.
// The text follows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "mime/language/stemmer.h"
#include "mime/words/tokenizer.h"
#include "mime/words/word_normaliser.h"
#include "tests/mime/unmetered.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<Exception> take_exceptions(const std::uint8_t*& data, std::size_t& size,
                                       std::size_t count) {
  constexpr std::size_t kBytesEach = 3;
  constexpr unsigned kKinds = 3;
  std::vector<Exception> out;
  std::uint32_t offset = 0;
  for (; count > 0 && size >= kBytesEach; --count) {
    offset += data[0];
    const auto kind = static_cast<ExceptionKind>(data[2] % kKinds);
    const std::uint32_t length = kind == ExceptionKind::kLineStart ? 0 : data[1];
    out.push_back({.offset = offset, .length = length, .kind = kind});
    data += kBytesEach;
    size -= kBytesEach;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const TokenizerOptions options{.form = (data[0] & 1) != 0 ? WordForm::kRoot : WordForm::kPosix,
                                 .words_max = (data[0] & 2) != 0 ? 50U : 100'000U};
  const std::size_t count = data[1];
  data += 2;
  size -= 2;
  const std::vector<Exception> exceptions = take_exceptions(data, size, count);
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const std::vector<Token> tokens = split_all(text, exceptions, options);
  // The word that reaches the limit may come with the exceptions before it.
  require(tokens.size() <= options.words_max + exceptions.size());
  std::size_t end = 0;
  WordNormaliser normaliser;
  const Stemmer stemmer("en");
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::kUrl) {
      const Exception url{.offset = token.offset, .length = token.length};
      require(std::any_of(exceptions.begin(), exceptions.end(), [&](const Exception& e) {
        return e.offset == url.offset && e.length == url.length;
      }));
      continue;
    }
    require(token.length > 0 && token.offset >= end);
    end = std::size_t{token.offset} + token.length;
    require(end <= text.size());
    require(stemmer.stem(normaliser.normalise(text.substr(token.offset, token.length))).size() <=
            4096);
  }
  return 0;
}
