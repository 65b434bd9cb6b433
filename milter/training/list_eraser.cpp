#include "milter/training/list_eraser.h"

#include <algorithm>

#include "milter/desk/servers/service_failure.h"

namespace shingled::milter::training {

namespace {

constexpr std::size_t kErasedAtOnce = 64;  ///< as many as any server's socket buffer takes

}  // namespace

void ListEraser::count_one(Counts& counts, const StoredHash& one) {
  ++(one.others_too ? counts.others_too : counts.only_here);
}

Status ListEraser::for_each(const std::function<bool(const StoredHash&)>& each) {
  const auto table = storage::sqlite::FuzzyTable::open_read_only(hashfile_);
  if (!table) return table.error();
  std::uint64_t seen = 0;
  bool interrupted = false;
  const Status read = (*table)->for_each([&](const storage::sqlite::FuzzyRow& row) {
    if (++seen % storage::kWatchEvery == 0 && !watcher_({"reading hashes", seen, 0})) {
      interrupted = true;
      return false;
    }
    const auto lists = row.flags.all();
    const bool is_on_it = std::ranges::find(lists, flag_, &storage::FlagValue::flag) != lists.end();
    return !is_on_it || each({row.digest, lists.size() > 1});
  });
  return interrupted ? Status(storage::stopped()) : read;
}

Result<ListEraser::Counts> ListEraser::count() {
  Counts counts;
  const Status read = for_each([&](const StoredHash& one) {
    count_one(counts, one);
    return true;
  });
  if (!read) return read.error();
  return counts;
}

Result<ListEraser::Counts> ListEraser::erase(storage::client::RemoteStore& store,
                                             const RemoteOptions& remote, const Counts& expected) {
  const std::uint64_t total = expected.only_here + expected.others_too;
  Counts done;
  std::optional<Digest> first_before;
  while (true) {
    std::vector<StoredHash> found;
    const Status read = for_each([&](const StoredHash& one) {
      found.push_back(one);
      return found.size() < kPassMax;
    });
    if (!read) return read.error();
    if (found.empty()) return done;
    if (first_before == found.front().digest) {
      return Error{ErrorCode::kInvalid, hashfile_ + ": not the file of the daemon that answered"};
    }
    first_before = found.front().digest;
    for (std::span<const StoredHash> rest = found; !rest.empty();) {
      const auto now = rest.first(std::min(rest.size(), kErasedAtOnce));
      if (Status sent = send(store, remote, now); !sent) return sent.error();
      for (const StoredHash& one : now) count_one(done, one);
      rest = rest.subspan(now.size());
      const std::uint64_t so_far = done.only_here + done.others_too;
      if (!watcher_({"deleting hashes", so_far, std::max(total, so_far)})) {
        return storage::stopped();
      }
    }
  }
}

Status ListEraser::send(storage::client::RemoteStore& store, const RemoteOptions& remote,
                        std::span<const StoredHash> hashes) {
  std::vector<storage::client::RemoteRequest> requests;
  for (const StoredHash& one : hashes) {
    requests.push_back({.kind = storage::client::RemoteRequest::Kind::kDeleteFromList,
                        .flag = flag_,
                        .fingerprint = {one.digest, std::nullopt}});
  }
  const storage::client::RemoteBatch batch{&store, requests};
  const auto answers = storage::client::ask({&batch, 1}, desk::patience(remote, clock_)).front();
  for (const storage::client::RemoteAnswer& answer : answers) {
    if (const auto failure = desk::failure_of(answer)) {
      return Error{ErrorCode::kUnavailable, failure->explain()};
    }
  }
  return {};
}

}  // namespace shingled::milter::training
