#include "storage/replication/address_lookup.h"

namespace shingled::storage::replication {

void AddressLookup::begin() {
  if (is_under_way_) return;
  is_under_way_ = true;
  is_done_.store(false);
  const auto look_up = [this] {
    found_ = SocketAddress::resolve(spec_);
    is_done_.store(true);
    wake_();
  };
  if (IpAddress::parse(spec_.host)) {
    look_up();
  } else {
    thread_ = std::jthread(look_up);  // joins the one before, which is done
  }
}

std::optional<Result<std::vector<SocketAddress>>> AddressLookup::take() {
  if (!is_under_way_ || !is_done_.load()) return std::nullopt;
  is_under_way_ = false;
  return std::exchange(found_, std::nullopt);
}

}  // namespace shingled::storage::replication
