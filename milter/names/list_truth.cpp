#include "milter/names/list_truth.h"

namespace shingled::milter::names {

Found look_up(const NameList& list, Name as, const features::MessageNames& names, Name name) {
  if (list.size() == 0) return {Found::Answer::kNo};
  if (!names.is_known(name)) return {Found::Answer::kUnknown};
  for (const std::string& value : names.values(name)) {
    if (auto match = list.find(as, value)) return {Found::Answer::kYes, std::move(match)};
  }
  return {names.is_complete(name) ? Found::Answer::kNo : Found::Answer::kUnknown};
}

}  // namespace shingled::milter::names
