#include "milter/backup/renames.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include "config/system/os_error.h"
#include "config/system/whole_file.h"
#include "milter/backup/file_copy.h"

namespace shingled::milter::backup {

namespace {

constexpr std::size_t kJournalBytesMax = 16UL << 20U;
constexpr char kEnd = '\0';  ///< of a path in the journal, which may have any other byte

Status rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return {};
  return os_write_error(errno, from + " to " + to);
}

/// As which a journal is written.
std::string unfinished(const std::string& journal) { return journal + ".new"; }

Status remove_unfinished(const std::string& journal) {
  const std::string fresh = unfinished(journal);
  if (::unlink(fresh.c_str()) == 0 || errno == ENOENT) return {};
  return os_write_error(errno, fresh);
}

Status remove_journal(const std::string& journal) {
  if (::unlink(journal.c_str()) != 0) return os_write_error(errno, journal);
  return sync_folder(folder_of(journal));
}

}  // namespace

Renames::~Renames() {
  if (kept_) return;
  bool undone = true;
  for (; made_ > 0; --made_) {
    const Rename& one = planned_[made_ - 1];
    undone = static_cast<bool>(rename_file(one.to, one.from)) && undone;
  }
  // What could not be undone is for take_back().
  if (undone) static_cast<void>(remove_journal(journal_));
}

void Renames::add_if_there(std::string from, std::string to) {
  if (is_there(from)) add(std::move(from), std::move(to));
}

Status Renames::make() {
  if (Status written = write_journal(); !written) return written;
  for (const Rename& one : planned_) {
    if (is_there(one.to)) return Error{ErrorCode::kInvalid, one.to + ": exists by now"};
    if (Status renamed = rename_file(one.from, one.to); !renamed) return renamed;
    ++made_;
  }
  return {};
}

Status Renames::keep() {
  if (Status synced = sync_folders_of(planned_); !synced) return synced;
  if (Status removed = remove_journal(journal_); !removed) return removed;
  kept_ = true;
  return {};
}

Status Renames::take_back(const std::string& journal) {
  // The process died before it changed a name.
  if (Status removed = remove_unfinished(journal); !removed) return removed;
  if (!is_there(journal)) return {};
  const auto text = read_whole_text(journal, kJournalBytesMax);
  if (!text) return text.error();
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = text->find(kEnd, at);
    if (end == std::string::npos)
      return Error{ErrorCode::kCorrupt, journal + ": is not the journal of a restore"};
    paths.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  if (paths.size() % 2 != 0)
    return Error{ErrorCode::kCorrupt, journal + ": is not the journal of a restore"};
  std::vector<Rename> renames;
  for (std::size_t i = 0; i < paths.size(); i += 2) renames.push_back({paths[i], paths[i + 1]});
  for (auto one = renames.rbegin(); one != renames.rend(); ++one) {
    const bool was_made = is_there(one->to) && !is_there(one->from);
    if (!was_made) continue;
    if (Status back = rename_file(one->to, one->from); !back) return back;
  }
  if (Status synced = sync_folders_of(renames); !synced) return synced;
  return remove_journal(journal);
}

/// The journal is whole or not there.
Status Renames::write_journal() const {
  std::string text;
  for (const Rename& one : planned_) text += one.from + kEnd + one.to + kEnd;
  const std::string fresh = unfinished(journal_);
  if (Status removed = remove_unfinished(journal_); !removed) return removed;
  if (Status written = write_file(fresh, text); !written) return written;
  if (Status renamed = rename_file(fresh, journal_); !renamed) return renamed;
  return sync_folder(folder_of(journal_));
}

/// A folder that went away again has nothing to sync.
Status Renames::sync_folders_of(const std::vector<Rename>& renames) {
  std::set<std::string> folders;
  for (const Rename& one : renames) {
    folders.insert(folder_of(one.from));
    folders.insert(folder_of(one.to));
  }
  for (const std::string& folder : folders) {
    Status synced = is_there(folder) ? sync_folder(folder) : Status();
    if (!synced) return synced;
  }
  return {};
}

}  // namespace shingled::milter::backup
