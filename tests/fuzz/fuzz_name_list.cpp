// A list of names, from an admin or a program, read in each form. Each entry that a list of one
// name takes is found as a value that it means, and is its own normal form.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "milter/names/name_list.h"

using namespace shingled::milter::names;

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

void try_entry(const NameRow& row, std::string_view text) {
  const auto entry = read_name_entry(row, text);
  if (!entry) return;
  const auto again = read_name_entry(row, entry->text);
  expect(again && again->text == entry->text);
  const NameList list = NameList::of(row, {*entry});
  expect(list.size() == 1);
  const bool pattern = entry->text.starts_with('.') || entry->text.starts_with('@') ||
                       entry->text.ends_with('@') || entry->text.find('/') != std::string::npos;
  if (!pattern) expect(list.find(row.name, entry->text).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kInputMax = 16 * 1024;
  if (size > kInputMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const ListForm::Kind kind : {ListForm::Kind::kAllow, ListForm::Kind::kBlock}) {
    const NameList list(text, {kind, {}});
    expect(list.problem_count() >= list.problems().size());
  }
  for (const NameRow& row : shingled::milter::features::names()) {
    const NameList list(text, {ListForm::Kind::kOne, row.name});
    static_cast<void>(list.find(row.name, std::string(text.substr(0, kEntryBytesMax))));
    try_entry(row, text.substr(0, text.find('\n')));
  }
  return 0;
}
