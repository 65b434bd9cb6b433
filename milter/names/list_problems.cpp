#include "milter/names/list_problems.h"

#include <fmt/format.h>

#include "milter/names/name_list.h"

namespace shingled::milter::names {

namespace {

using Severity = config::Problem::Severity;

void add_lines(const ListFile& file, const NameList& list, std::vector<config::Problem>& out) {
  for (const ListProblem& problem : list.problems())
    out.push_back({file.path, static_cast<int>(problem.line), 0, "",
                   problem.what + "; the line is left out", Severity::kWarning});
  if (list.problem_count() > list.problems().size())
    out.push_back(
        {file.path, 0, 0, "",
         fmt::format("and {} more wrong lines", list.problem_count() - list.problems().size()),
         Severity::kWarning});
}

}  // namespace

std::vector<config::Problem> list_problems(std::span<const ListFile> files) {
  std::vector<config::Problem> out;
  for (const ListFile& file : files) {
    const bool of_rule = file.form.kind == ListForm::Kind::kOne;
    if (of_rule && stamp_of(file.path) == FileStamp{}) {
      out.push_back({file.path, 0, 0, "", "a rule names this list, but it does not exist"});
      continue;
    }
    const auto list = read_list(file);
    if (!list) {
      // Without a list of its own the daemon starts: mail must not go unfiltered for that.
      out.push_back({file.path, 0, 0, "", list.error().message,
                     of_rule ? Severity::kError : Severity::kFault});
    } else {
      add_lines(file, **list, out);
    }
  }
  return out;
}

}  // namespace shingled::milter::names
