#include "config/promotions/judgement_file.h"

#include "config/base/byte_reader.h"
#include "config/promotions/judgement_text.h"
#include "config/system/file_system.h"
#include "config/system/whole_file.h"

namespace shingled::config {

namespace {

/// For 10 000 rules, the most of a policy, with some windows each.
constexpr std::size_t kJudgementBytesMax = 8U << 20U;

struct Split {
  std::string folder;
  std::string name;
};

Split split(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return {".", file};
  return {slash == 0 ? "/" : file.substr(0, slash), file.substr(slash + 1)};
}

}  // namespace

std::string judgement_file(const HistoryOptions& history) { return history.file + ".judgements"; }

Result<Judgements> read_judgements(const std::string& file) {
  const auto whole = read_whole_file(file, kJudgementBytesMax);
  if (!whole && whole.error().code == ErrorCode::kNotFound) return Judgements{};
  if (!whole) return whole.error();
  auto read = judgements_of(whole->text);
  if (!read) return read.error().in(file);
  return read;
}

Status write_judgements(const std::string& file, const Judgements& judgements) {
  const auto [folder, name] = split(file);
  const std::string fresh = name + ".new";
  const auto files = folder_files(folder);
  auto out = files->create(fresh);
  if (!out) return out.error();
  if (Status wrote = (*out)->append(as_bytes(text_of(judgements))); !wrote)
    return wrote.error().in(file);
  if (Status synced = (*out)->sync(); !synced) return synced.error().in(file);
  if (Status renamed = files->rename(fresh, name); !renamed) return renamed;
  return files->sync_names();
}

Result<std::string> set_aside(const std::string& file) {
  const auto [folder, name] = split(file);
  const std::string aside = name + ".unreadable";
  const auto files = folder_files(folder);
  if (Status renamed = files->rename(name, aside); !renamed) return renamed.error();
  if (Status synced = files->sync_names(); !synced) return synced.error();
  return file + ".unreadable";
}

}  // namespace shingled::config
