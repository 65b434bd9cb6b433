#include "milter/backup/stopped_site.h"

#include <unistd.h>

#include <string>
#include <utility>

namespace shingled::milter::backup {

namespace {

Error with_advice(const Error& error) {
  if (error.code != ErrorCode::kUnavailable) return error;
  return {error.code, error.message + "; stop the daemon first"};
}

}  // namespace

Result<StoppedSite> StoppedSite::hold(const Settings& settings, const Site& site) {
  StoppedSite out;
  const std::string& number = settings.daemon.pid_file;
  if (!number.empty() && ::access(number.c_str(), F_OK) == 0) {
    auto held = process::PidFile::create(number);
    if (!held) return with_advice(held.error());
    out.number_ = *std::move(held);
  }
  for (const SitePart& part : site.parts) {
    // Several processes may have the library of known files.
    if (part.form == PartForm::kFile || part.form == PartForm::kFolder || part.kind == "similar")
      continue;
    const std::string file =
        part.form == PartForm::kCounters ? part.path + "/counters.db" : part.path;
    // A daemon has made it if it runs.
    if (::access(file.c_str(), F_OK) != 0) continue;
    auto lock = storage::sqlite::FileLock::take(file);
    if (!lock) return with_advice(lock.error());
    out.locks_.push_back(*std::move(lock));
  }
  return out;
}

}  // namespace shingled::milter::backup
