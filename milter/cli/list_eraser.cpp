#include "milter/cli/list_eraser.h"

#include <algorithm>

#include "milter/cli/service_failure.h"

namespace shingled::milter {

namespace {

constexpr std::size_t kErasedAtOnce = 64;  ///< as many as any server's socket buffer takes

using Kind = storage::RemoteRequest::Kind;

/// What takes a hash off a list; nothing when its value there is none already.
std::optional<storage::RemoteRequest> erasure(const storage::FuzzyRow& row, std::uint32_t flag) {
  const auto lists = row.flags.all();
  const auto entry = std::find_if(lists.begin(), lists.end(),
                                  [&](const auto& candidate) { return candidate.flag == flag; });
  if (entry == lists.end()) return std::nullopt;
  storage::RemoteRequest request;
  request.flag = flag;
  request.fingerprint.digest = row.digest;
  if (lists.size() == 1) {
    request.kind = Kind::kDelete;
    return request;
  }
  if (entry->value == 0) return std::nullopt;
  request.kind = Kind::kAdd;
  // The smallest number has no opposite; the rest of it goes in the next pass.
  request.value = entry->value == INT32_MIN ? INT32_MAX : -entry->value;
  return request;
}

bool same(const storage::RemoteRequest& a, const storage::RemoteRequest& b) {
  return a.kind == b.kind && a.value == b.value && a.fingerprint == b.fingerprint;
}

void count_one(ListEraser::Counts& counts, const storage::RemoteRequest& request) {
  ++(request.kind == Kind::kDelete ? counts.only_here : counts.others_too);
}

}  // namespace

Status ListEraser::for_each(const std::function<bool(const storage::RemoteRequest&)>& each) {
  const auto table = storage::FuzzyTable::open_read_only(hashfile_);
  if (!table) return table.error();
  std::uint64_t seen = 0;
  bool interrupted = false;
  const Status read = (*table)->for_each([&](const storage::FuzzyRow& row) {
    if (++seen % storage::kWatchEvery == 0 && !meter_.report({"reading hashes", seen, 0})) {
      interrupted = true;
      return false;
    }
    const auto request = erasure(row, flag_);
    return !request || each(*request);
  });
  return interrupted ? Status(storage::stopped()) : read;
}

Result<ListEraser::Counts> ListEraser::count() {
  Counts counts;
  const Status read = for_each([&](const storage::RemoteRequest& request) {
    count_one(counts, request);
    return true;
  });
  if (!read) return read.error();
  return counts;
}

Result<ListEraser::Counts> ListEraser::erase(storage::RemoteStore& store,
                                             const RemoteOptions& remote, const Counts& expected) {
  const std::uint64_t total = expected.only_here + expected.others_too;
  Counts done;
  std::optional<storage::RemoteRequest> first_before;
  while (true) {
    std::vector<storage::RemoteRequest> requests;
    const Status read = for_each([&](const storage::RemoteRequest& request) {
      requests.push_back(request);
      return requests.size() < kPassMax;
    });
    if (!read) return read.error();
    if (requests.empty()) return done;
    if (first_before && same(*first_before, requests.front())) {
      return Error{ErrorCode::kInvalid, hashfile_ + ": not the file of the daemon that was asked"};
    }
    first_before = requests.front();
    for (std::span<const storage::RemoteRequest> rest = requests; !rest.empty();) {
      const auto now = rest.first(std::min(rest.size(), kErasedAtOnce));
      if (Status sent = send(store, remote, now); !sent) return sent.error();
      for (const storage::RemoteRequest& request : now) count_one(done, request);
      rest = rest.subspan(now.size());
      const std::uint64_t so_far = done.only_here + done.others_too;
      if (!meter_.report({"deleting hashes", so_far, std::max(total, so_far)})) {
        return storage::stopped();
      }
    }
  }
}

Status ListEraser::send(storage::RemoteStore& store, const RemoteOptions& remote,
                        std::span<const storage::RemoteRequest> requests) {
  const storage::RemoteBatch batch{&store, requests};
  const auto answers = storage::ask({&batch, 1}, patience(remote, clock_)).front();
  for (const storage::RemoteAnswer& answer : answers) {
    if (const auto failure = failure_of(answer)) {
      return Error{ErrorCode::kUnavailable, failure->explain()};
    }
  }
  return {};
}

}  // namespace shingled::milter
