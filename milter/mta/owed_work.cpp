#include "milter/mta/owed_work.h"

#include <utility>

namespace shingled::milter::mta {

namespace {

void do_it(const std::function<void()>& work) noexcept {
  try {
    work();
  } catch (...) {  // memory; the answer is out
  }
}

}  // namespace

OwedWork::Number OwedWork::add(std::function<void()> work) {
  auto works = works_.lock();
  works->waiting.emplace_hint(works->waiting.end(), works->next, std::move(work));
  return works->next++;
}

void OwedWork::do_one(Number number) noexcept {
  const auto work = works_.lock()->waiting.extract(number);
  if (work) do_it(work.mapped());
}

void OwedWork::do_all() noexcept {
  const auto waiting = std::exchange(works_.lock()->waiting, {});
  for (const auto& [number, work] : waiting) do_it(work);
}

}  // namespace shingled::milter::mta
