#include "storage/access/access_reloader.h"

#include <utility>

#include "config/document/yaml_document.h"
#include "config/list_file.h"
#include "config/system/permission.h"
#include "storage/access/source_limits.h"
#include "storage/crypto/keypair.h"

namespace shingled::storage::access {

AccessReloader::AccessReloader(Random& random, Logger& logger) : logger_(logger), lists_(logger) {
  for (std::uint64_t& word : state_.sources.key) word = random.next_u64();
  state_.sources.report = std::make_shared<LimitReport>(logger);
}

Result<std::unique_ptr<AccessReloader>> AccessReloader::open(const ServerOptions& options,
                                                             Random& random, Logger& logger) {
  std::unique_ptr<AccessReloader> reloader(new AccessReloader(random, logger));
  if (auto status = reloader->make(options); !status) return status.error();
  return reloader;
}

Status AccessReloader::reload(const ServerOptions& options) { return make(options); }

Status AccessReloader::make(const ServerOptions& options) {
  auto whole = lists_.read(options);
  if (!whole) return whole.error();
  auto access = Access::make(*whole, &state_);
  if (!access) return access.error().in("storage.keypair");
  lists_.accept();
  access_ = std::make_shared<const Access>(*std::move(access));
  options_ = options;
  if (access_->ignores_keys()) {
    logger_.warning(LogLine("fuzzy_key_rights_ignored")
                        .field("why", "allow_update lists addresses, so only addresses decide"));
  }
  return {};
}

bool AccessReloader::refresh() {
  if (!lists_.changed()) return false;
  const Status status = make(options_);
  if (!status) logger_.error(LogLine("fuzzy_lists_refused").field("why", status.error().message));
  return status.has_value();
}

void AccessReloader::restore_limits(const std::string& path, const Moment& now) {
  LimitState& state = state_.sources;
  if (state.table == nullptr) return;
  const auto saved = load_limits(path, now.wall);
  if (!saved) {
    if (saved.error().code != ErrorCode::kNotFound)
      logger_.warning(LogLine("fuzzy_ratelimits_lost").field("why", saved.error().message));
    return;
  }
  if (saved->network_mask != state.network_mask) return;  // the names are of other networks
  state.key = saved->key;
  state.table->restore(saved->entries, now.steady);
  if (const Status status = make(options_); !status)
    logger_.error(LogLine("fuzzy_lists_refused").field("why", status.error().message));
  logger_.info(LogLine("fuzzy_ratelimits_restored").field("sources", saved->entries.size()));
}

void AccessReloader::save_limits(const std::string& path, const Moment& now) const {
  const LimitState& state = state_.sources;
  if (state.table == nullptr) return;
  const Status status = storage::access::save_limits(
      path, {state.key, state.network_mask, now.wall, state.table->entries(now.steady)});
  if (!status)
    logger_.warning(LogLine("fuzzy_ratelimits_lost").field("why", status.error().message));
}

namespace {

/// Writes a parsed value to `out`. An error gets the path of the file.
template <typename Parsed, typename Out>
Status put(Result<Parsed> parsed, const std::string& path, Out& out) {
  if (!parsed) return parsed.error().in(path);
  out = *std::move(parsed);
  return {};
}

}  // namespace

Result<ServerOptions> ListReader::read(const ServerOptions& options) {
  ServerOptions out = options;
  const ListFiles& from = options.files;
  std::vector<std::string> dynamic;
  if (!from.dynamic_keys_map.empty()) dynamic.push_back(from.dynamic_keys_map);
  const auto networks = [&](std::string_view option, const std::vector<std::string>& paths,
                            std::vector<Network>& list) {
    add(Kind::kNetworks, option, paths, &Content::networks, list);
  };
  const auto names = [&](Kind kind, std::string_view option, const std::vector<std::string>& paths,
                         std::vector<std::array<std::uint8_t, 64>>& list) {
    add(kind, option, paths, &Content::names, list);
  };
  const auto keypairs = [&](std::string_view option, const std::vector<std::string>& paths,
                            std::vector<Keypair>& list) {
    add(Kind::kKeypairs, option, paths, &Content::keypairs, list);
  };
  faults_.clear();
  files_.begin();
  networks("storage.allow_update", from.allow_update, out.allow_update);
  networks("storage.trusted", from.trusted, out.trusted);
  networks("storage.blocked", from.blocked, out.blocked);
  networks("storage.delay_whitelist", from.delay_whitelist, out.delay_whitelist);
  networks("storage.ratelimit_whitelist", from.ratelimit_whitelist, out.ratelimit.whitelist);
  names(Kind::kKeyIds, "storage.allow_update_keys", from.allow_update_keys, out.allow_update_keys);
  names(Kind::kDigests, "storage.skip_hashes", from.skip_hashes, out.skip_hashes);
  keypairs("storage.keypair", from.keypair, out.keypair);
  keypairs("storage.dynamic_keys_map", dynamic, out.dynamic_keypair);
  if (!faults_.empty()) return faults_.front().error.in(faults_.front().option);
  files_.end();
  return out;
}

template <typename Entry>
void ListReader::add(Kind kind, std::string_view option, const std::vector<std::string>& paths,
                     std::vector<Entry> Content::*part, std::vector<Entry>& list) {
  for (const std::string& path : paths) {
    const auto content = files_.get(kind, path);
    if (!content) {
      faults_.push_back({std::string(option), content.error()});
      continue;
    }
    const std::vector<Entry>& entries = (**content).*part;
    list.insert(list.end(), entries.begin(), entries.end());
  }
}

Result<ListReader::Files::Parsed> ListReader::parse(Kind kind, const std::string& path) {
  const bool keys = kind == Kind::kKeypairs;
  auto file = read_whole_file(path, keys ? config::kYamlBytesMax : config::kListBytesMax);
  if (!file) return file.error();
  if (keys && !file->is_private()) {
    return Error{ErrorCode::kDenied,
                 path + ": users other than the owner can access this key file, mode " +
                     mode_text(file->mode) + "; allowed: 0600 or 0400"};
  }
  Content content;
  Status status;
  switch (kind) {
    case Kind::kNetworks:
      status = put(config::parse_networks(file->text), path, content.networks);
      break;
    case Kind::kKeyIds:
      status = put(config::parse_key_ids(file->text), path, content.names);
      break;
    case Kind::kDigests:
      status = put(config::parse_digests(file->text), path, content.names);
      break;
    case Kind::kKeypairs:
      status = put(config::parse_keypairs(file->text), path, content.keypairs);
      break;
  }
  if (!status) return status.error();
  // Check the key pairs here: one that is not valid would make the whole set unusable.
  if (const auto ring = crypto::Keyring::make(content.keypairs); !ring)
    return ring.error().in(path);
  const std::size_t entries =
      content.networks.size() + content.names.size() + content.keypairs.size();
  return Files::Parsed{file->stamp, std::move(content), entries};
}

}  // namespace shingled::storage::access
