#include "milter/filter/lookup_order.h"

#include <algorithm>

namespace shingled::milter::filter {

std::vector<mime::PartHash> in_order_of_value(std::vector<mime::PartHash> hashes,
                                              std::size_t count_max) {
  std::stable_sort(hashes.begin(), hashes.end(),
                   [](const mime::PartHash& a, const mime::PartHash& b) {
                     if (a.place != b.place) return a.place < b.place;
                     return a.place != mime::PartPlace::kBody && a.bytes > b.bytes;
                   });
  if (hashes.size() > count_max)
    hashes.erase(hashes.begin() + static_cast<std::ptrdiff_t>(count_max), hashes.end());
  return hashes;
}

}  // namespace shingled::milter::filter
