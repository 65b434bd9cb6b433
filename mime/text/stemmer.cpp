#include "mime/text/stemmer.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace shingled::mime {

namespace {

// Debian's libstemmer also has eu ca ga hy yi, which rspamd has not: they must stay unused.
constexpr std::array<std::string_view, 23> kLanguages = {
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "id", "it",
    "lt", "ne", "nl", "no", "pt", "ro", "ru", "sr", "sv", "ta", "tr"};

struct SnowballDeleter {
  void operator()(sb_stemmer* snowball) const { sb_stemmer_delete(snowball); }
};
using SnowballPtr = std::unique_ptr<sb_stemmer, SnowballDeleter>;

sb_stemmer* thread_snowball(std::string_view language) {
  thread_local std::array<SnowballPtr, kLanguages.size()> kept;
  const auto found = std::find(kLanguages.begin(), kLanguages.end(), language);
  if (found == kLanguages.end()) return nullptr;
  SnowballPtr& slot = kept[static_cast<std::size_t>(found - kLanguages.begin())];
  if (!slot) slot.reset(sb_stemmer_new(std::string(language).c_str(), "UTF_8"));
  return slot.get();
}

}  // namespace

Stemmer::Stemmer(std::string_view language) : snowball_(thread_snowball(language)) {}

std::string_view Stemmer::stem(std::string_view word) const {
  if (snowball_ == nullptr || word.empty()) return word;
  const sb_symbol* stem = sb_stemmer_stem(
      snowball_, reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  const int size = sb_stemmer_length(snowball_);
  if (stem == nullptr || size <= 0) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(size)};
}

}  // namespace shingled::mime
