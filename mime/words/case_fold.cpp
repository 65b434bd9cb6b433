#include "mime/words/case_fold.h"

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kFoldGrowthMax = 18;  // the longest decomposition
constexpr std::size_t kUtf8BytesAUnit = 3;

std::string_view front_of(std::string_view utf8) {
  std::size_t end = std::min(utf8.size(), kCaseFoldedBytesMax);
  while (end > 0 && end < utf8.size() && is_utf8_continuation(utf8[end])) --end;
  return utf8.substr(0, end);
}

}  // namespace

std::string fold_case(std::string_view utf8) {
  utf8 = front_of(utf8);
  if (std::none_of(utf8.begin(), utf8.end(), ascii::is_high)) return ascii::to_lower(utf8);
  UErrorCode status = U_ZERO_ERROR;
  static const UNormalizer2* const folder = unorm2_getNFKCCasefoldInstance(&status);
  std::array<UChar, kCaseFoldedBytesMax> units{};
  std::array<UChar, kCaseFoldedBytesMax * kFoldGrowthMax> folded{};
  std::int32_t size = 0;
  u_strFromUTF8WithSub(units.data(), static_cast<std::int32_t>(units.size()), &size, utf8.data(),
                       static_cast<std::int32_t>(utf8.size()), 0xFFFD, nullptr, &status);
  if (U_FAILURE(status)) return ascii::to_lower(utf8);
  size = unorm2_normalize(folder, units.data(), size, folded.data(),
                          static_cast<std::int32_t>(folded.size()), &status);
  if (U_FAILURE(status)) return ascii::to_lower(utf8);
  std::string out(static_cast<std::size_t>(size) * kUtf8BytesAUnit, '\0');
  std::int32_t bytes = 0;
  u_strToUTF8(out.data(), static_cast<std::int32_t>(out.size()), &bytes, folded.data(), size,
              &status);
  if (U_FAILURE(status)) return ascii::to_lower(utf8);
  out.resize(static_cast<std::size_t>(bytes));
  out.resize(front_of(out).size());
  return out;
}

}  // namespace shingled::mime
