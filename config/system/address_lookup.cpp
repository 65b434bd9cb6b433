#include "config/system/address_lookup.h"

#include <algorithm>
#include <utility>

namespace shingled {

namespace {

bool needs_dns(const SocketSpec& spec) { return !IpAddress::parse(spec.host); }

}  // namespace

void AddressLookup::begin() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(is_begun_, true)) return;
    if (needs_dns(spec_)) return start();
  }
  look_up();
}

bool AddressLookup::is_under_way() const {
  const MutexLock lock(mutex_);
  return is_begun_;
}

std::optional<AddressLookup::Found> AddressLookup::take() {
  const MutexLock lock(mutex_);
  if (!is_begun_ || is_running_) return std::nullopt;
  is_begun_ = false;
  return last_;
}

AddressLookup::Found AddressLookup::find(TimePoint deadline, const Clock& clock) {
  if (!needs_dns(spec_)) return SocketAddress::resolve(spec_);
  MutexLock lock(mutex_);
  start();
  const std::uint64_t before = ends_;
  const Duration left = std::max(deadline - clock.now(), Duration::zero());
  ended_.wait_for(lock.as_lock(), left,
                  [&]() SHINGLED_REQUIRES(mutex_) { return ends_ != before; });
  if (ends_ != before) {
    return last_ ? last_ : Found(Error{ErrorCode::kUnavailable, last_.error().message});
  }
  if (!known_.empty()) return known_;
  return Error{ErrorCode::kUnavailable, "the name '" + spec_.host + "' is still being looked up"};
}

void AddressLookup::start() {
  if (std::exchange(is_running_, true)) return;
  thread_ = std::jthread([this] { look_up(); });  // joins the one before, which is done
}

void AddressLookup::look_up() {
  Found found = SocketAddress::resolve(spec_);
  {
    const MutexLock lock(mutex_);
    if (found) known_ = *found;
    last_ = std::move(found);
    is_running_ = false;
    ++ends_;
    ended_.notify_all();
  }
  if (wake_) wake_();
}

}  // namespace shingled
