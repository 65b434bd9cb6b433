#include "milter/ratelimit/limit_lists.h"

#include <algorithm>
#include <utility>

#include "config/list_file.h"

namespace shingled::milter {

namespace {

/// Puts what was parsed into its place.
template <typename Entry>
Status put(Result<std::vector<Entry>> parsed, const std::string& path, std::vector<Entry>& out) {
  if (!parsed) return parsed.error().in(path);
  out = *std::move(parsed);
  return {};
}

template <typename Entry>
void append(const std::vector<Entry>& from, std::vector<Entry>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Result<MailLimitOptions> LimitLists::read(const MailLimitOptions& options) {
  MailLimitOptions out = options;
  Files files;
  for (const auto& [kind, paths] : {std::pair{Kind::kNetworks, &options.whitelisted_ip_files},
                                    {Kind::kRecipients, &options.whitelisted_rcpts_files}}) {
    for (const std::string& path : *paths) {
      auto content = content_of(kind, path);
      if (!content) return content.error().in("ratelimit");
      append(content->networks, out.whitelisted_ip);
      append(content->recipients, out.whitelisted_rcpts);
      files.insert_or_assign({kind, path}, *std::move(content));
    }
  }
  files_ = std::move(files);
  return out;
}

bool LimitLists::changed() const {
  return std::any_of(files_.begin(), files_.end(), [](const auto& file) {
    return stamp_of(file.first.second) != file.second.stamp;
  });
}

Result<LimitLists::Content> LimitLists::content_of(Kind kind, const std::string& path) {
  const auto known = files_.find({kind, path});
  const FileStamp stamp = stamp_of(path);
  if (known != files_.end() && known->second.stamp == stamp) return known->second;
  Content content;
  Status status;
  if (auto file = read_whole_file(path, config::kListBytesMax); file) {
    content.stamp = file->stamp;
    status = kind == Kind::kNetworks
                 ? put(config::parse_networks(file->text), path, content.networks)
                 : put(config::parse_recipients(file->text), path, content.recipients);
  } else {
    status = file.error();
  }
  if (status) {
    logger_.info(LogLine("list_read")
                     .field("file", path)
                     .field("entries", content.networks.size() + content.recipients.size()));
    return content;
  }
  if (known == files_.end()) return status.error();
  logger_.error(LogLine("list_kept").field("file", path).field("why", status.error().message));
  known->second.stamp = stamp;
  return known->second;
}

}  // namespace shingled::milter
