#include "config/promotions/replaced_file.h"

#include "config/base/byte_reader.h"
#include "config/system/file_system.h"

namespace shingled::config {

namespace {

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

Status replace_file(const std::string& file, std::string_view text) {
  const auto [folder, name] = split(file);
  const std::string fresh = name + ".new";
  const auto files = folder_files(folder);
  auto out = files->create(fresh);
  if (!out) return out.error();
  if (Status wrote = (*out)->append(as_bytes(text)); !wrote) return wrote.error().in(file);
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
