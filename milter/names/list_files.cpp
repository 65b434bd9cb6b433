#include "milter/names/list_files.h"

#include <fmt/format.h>

#include "milter/names/name_list.h"

namespace shingled::milter::names {

Result<std::shared_ptr<const NameList>> read_list(const ListFile& file) {
  const auto text = read_whole_file(file.path, kListBytesMax);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::make_shared<const NameList>();
  if (!text) return text.error();
  return std::make_shared<const NameList>(text->text, file.form);
}

ListFiles::Known ListFiles::read(const ListFile& file,
                                 const std::shared_ptr<const NameList>& before) {
  // The stamp first: a change while it is read is seen at the next look.
  Known out{stamp_of(file.path), before};
  auto list = read_list(file);
  if (!list) {
    logger_.error(LogLine("list_kept").field("file", file.path).field("why", list.error().message));
    return out;
  }
  out.list = *std::move(list);
  for (const ListProblem& problem : out.list->problems()) {
    logger_.error(LogLine("list_line")
                      .field("file", file.path)
                      .field("line", problem.line)
                      .field("problem", problem.what));
  }
  const bool quiet = out.list->size() == 0 && before == nullptr;
  if (quiet) return out;
  LogLine line("list_read");
  line.field("file", file.path).field("entries", out.list->size());
  if (out.list->problem_count() > 0) line.field("wrong_lines", out.list->problem_count());
  logger_.info(line);
  return out;
}

void ListFiles::show() {
  auto lists = std::make_shared<Lists>();
  for (const auto& [file, known] : files_)
    if (known.list != nullptr) lists->set(file, known.list);
  current_->set(std::move(lists));
}

void ListFiles::use(const std::vector<ListFile>& files) {
  std::map<ListFile, Known> next;
  for (const ListFile& file : files) {
    const auto known = files_.find(file);
    const bool same = known != files_.end() && known->second.stamp == stamp_of(file.path);
    const auto before = known == files_.end() ? nullptr : known->second.list;
    next.insert_or_assign(file, same ? known->second : read(file, before));
  }
  files_ = std::move(next);
  show();
}

void ListFiles::refresh() {
  bool changed = false;
  for (auto& [file, known] : files_) {
    if (known.stamp == stamp_of(file.path)) continue;
    known = read(file, known.list);
    changed = true;
  }
  if (changed) show();
}

std::shared_ptr<const CurrentLists> lists_now(const std::vector<ListFile>& files) {
  auto lists = std::make_shared<Lists>();
  for (const ListFile& file : files) {
    auto list = read_list(file);
    if (list) lists->set(file, *std::move(list));
  }
  auto current = std::make_shared<CurrentLists>();
  current->set(std::move(lists));
  return current;
}

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
