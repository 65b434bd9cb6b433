#include "mime/html/element_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace shingled::mime {
namespace {

constexpr ElementKind kInline = ElementKind::kInline;
constexpr ElementKind kBlock = ElementKind::kBlock;
constexpr ElementKind kCell = ElementKind::kCell;

constexpr bool by_name(const ElementInfo& a, const ElementInfo& b) { return a.name < b.name; }

constexpr ElementInfo kHtml4[] = {
    {"a"},
    {"abbr"},
    {"acronym"},
    {"address", kBlock},
    {"applet"},
    {"area", kBlock, true},
    {"b"},
    {"base", kInline, true, true},
    {"basefont", kInline, true},
    {"bdo"},
    {"big"},
    {"blockquote", kBlock},
    {"body"},
    {"br", kInline, true},
    {"button"},
    {"caption", kBlock},
    {"center", kBlock},
    {"cite"},
    {"code"},
    {"col", kBlock, true},
    {"colgroup", kBlock},
    {"dd"},
    {"del", kBlock},
    {"dfn"},
    {"dir", kBlock},
    {"div", kBlock},
    {"dl", kBlock},
    {"dt"},
    {"em"},
    {"fieldset", kBlock},
    {"font"},
    {"form", kBlock},
    {"frame", kInline, true},
    {"frameset"},
    {"h1", kBlock},
    {"h2", kBlock},
    {"h3", kBlock},
    {"h4", kBlock},
    {"h5", kBlock},
    {"h6", kBlock},
    {"head"},
    {"hr", kBlock, true},
    {"html"},
    {"i"},
    {"iframe"},
    {"img", kInline, true},
    {"input", kInline, true},
    {"ins", kBlock},
    {"isindex", kBlock, true},
    {"kbd"},
    {"label"},
    {"legend"},
    {"li"},
    {"link", kInline, true},
    {"listing", kBlock},
    {"map"},
    {"menu", kBlock},
    {"meta", kInline, true, true},
    {"nextid", kInline, true, true},
    {"noframes", kBlock},
    {"noscript", kBlock},
    {"object", kInline, false, true},
    {"ol", kBlock},
    {"optgroup"},
    {"option"},
    {"p", kBlock},
    {"param", kInline, true},
    {"plaintext", kBlock},
    {"pre", kBlock},
    {"q"},
    {"rb"},
    {"rbc"},
    {"rp"},
    {"rt"},
    {"rtc"},
    {"ruby"},
    {"s"},
    {"samp"},
    {"script", kInline, false, true},
    {"select"},
    {"small"},
    {"span"},
    {"strike"},
    {"strong"},
    {"style", kInline, false, true},
    {"sub"},
    {"sup"},
    {"table", kBlock},
    {"tbody", kBlock},
    {"td", kCell},
    {"textarea"},
    {"tfoot", kBlock},
    {"th", kCell},
    {"thead", kBlock},
    {"title", kInline, false, true},
    {"tr", kBlock},
    {"tt"},
    {"u"},
    {"ul", kBlock},
    {"var"},
    {"xmp", kBlock},
};
static_assert(std::is_sorted(std::begin(kHtml4), std::end(kHtml4), by_name));

/// The elements of HTML 5 that 4.1.6 knows.
constexpr ElementInfo kHtml5[] = {
    {"article", kBlock},
    {"aside", kBlock},
    {"audio"},
    {"bdi"},
    {"canvas"},
    {"data"},
    {"datalist"},
    {"details", kBlock},
    {"dialog", kBlock},
    {"embed", kInline, true},
    {"figcaption", kBlock},
    {"figure", kBlock},
    {"footer", kBlock},
    {"header", kBlock},
    {"hgroup", kBlock},
    {"main", kBlock},
    {"mark"},
    {"meter"},
    {"nav", kBlock},
    {"output"},
    {"picture"},
    {"progress"},
    {"section", kBlock},
    {"slot"},
    {"source", kInline, true},
    {"summary", kBlock},
    {"svg"},
    {"template"},
    {"time"},
    {"track", kInline, true},
    {"video"},
    {"wbr", kInline, true},
};
static_assert(std::is_sorted(std::begin(kHtml5), std::end(kHtml5), by_name));

/// A table by first letters: names that begin with letter i are from `begins[i]` to `begins[i +
/// 1]`.
template <std::size_t kSize>
class NamesByLetter {
 public:
  constexpr NamesByLetter(const ElementInfo (&table)[kSize], std::size_t first_number) {
    for (std::size_t i = 0; i < kSize; ++i) {
      table_[i] = table[i];
      table_[i].number = static_cast<std::uint8_t>(first_number + i);
    }
    for (std::size_t i = 0, at = 0; i < begins_.size(); ++i) {
      while (at < kSize && table[at].name.front() < static_cast<char>('a' + i)) ++at;
      begins_[i] = static_cast<std::uint8_t>(at);
    }
  }

  [[nodiscard]] const ElementInfo* find(std::string_view name) const {
    if (name.empty() || name.front() < 'a' || name.front() > 'z') return nullptr;
    const auto letter = static_cast<std::size_t>(name.front() - 'a');
    for (std::size_t i = begins_[letter]; i < begins_[letter + 1]; ++i) {
      if (table_[i].name == name) return &table_[i];
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kLetters = 26;
  std::array<ElementInfo, kSize> table_{};
  std::array<std::uint8_t, kLetters + 1> begins_{};
};

static_assert(std::size(kHtml4) + std::size(kHtml5) <= kElementsMax);
constexpr NamesByLetter kIndex4(kHtml4, 0);
constexpr NamesByLetter kIndex5(kHtml5, std::size(kHtml4));

}  // namespace

const ElementInfo* find_element(std::string_view name, Compat compat) {
  if (const ElementInfo* found = kIndex4.find(name)) return found;
  return compat == Compat::kRspamd4 ? kIndex5.find(name) : nullptr;
}

}  // namespace shingled::mime
