#include "storage/redis/host_lookup.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::redis {

Result<std::vector<SocketAddress>> HostLookup::find(TimePoint deadline) {
  if (IpAddress::parse(where_.host)) return SocketAddress::resolve(where_);
  MutexLock lock(mutex_);
  if (!under_way_) {
    under_way_ = true;
    thread_ = std::jthread([this] { look_up(); });  // the one before has ended
  }
  const std::uint64_t before = ends_;
  const Duration left = std::max(deadline - clock_.now(), Duration::zero());
  ended_.wait_for(lock.as_lock(), left,
                  [&]() SHINGLED_REQUIRES(mutex_) { return ends_ != before; });
  if (ends_ != before) return last_;
  if (!known_.empty()) return known_;
  return Error{ErrorCode::kUnavailable, "the name '" + where_.host + "' is still being looked up"};
}

void HostLookup::look_up() {
  Found found = SocketAddress::resolve(where_);
  if (!found) found = Error{ErrorCode::kUnavailable, found.error().message};
  const MutexLock lock(mutex_);
  if (found) known_ = *found;
  last_ = std::move(found);
  under_way_ = false;
  ++ends_;
  ended_.notify_all();
}

}  // namespace shingled::storage::redis
