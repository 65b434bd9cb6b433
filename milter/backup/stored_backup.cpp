#include "milter/backup/stored_backup.h"

#include "config/system/whole_file.h"
#include "milter/backup/file_copy.h"

namespace shingled::milter::backup {

Result<StoredBackup> StoredBackup::open(const std::string& folder) {
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::string file = path + '/' + kManifestName;
  const auto text = read_whole_file(file, Manifest::kBytesMax);
  if (!text && text.error().code == ErrorCode::kNotFound)
    return Error{ErrorCode::kNotFound, path + ": has no " + kManifestName +
                                           ", so it is not a backup, or a part of one is missing"};
  if (!text) return text.error();
  auto manifest = parse_manifest(text->text);
  if (!manifest) return manifest.error().in(file);
  return StoredBackup(std::move(path), *std::move(manifest));
}

Status StoredBackup::check(const storage::Watcher& watcher) const {
  std::uint64_t total = 0;
  for (const StoredPart& part : manifest_.parts) total += part.bytes;
  ByteProgress progress(watcher, "checking", total);
  for (const StoredPart& part : manifest_.parts) {
    const auto sum = sum_of(path_of(part), progress);
    if (!sum && sum.error().code == ErrorCode::kNotFound)
      return Error{ErrorCode::kCorrupt, path_of(part) + ": is missing"};
    if (!sum) return sum.error();
    if (*sum != FileSum{part.bytes, part.sha256})
      return Error{ErrorCode::kCorrupt,
                   path_of(part) + ": is not the file that was backed up (its sum differs)"};
  }
  return {};
}

}  // namespace shingled::milter::backup
