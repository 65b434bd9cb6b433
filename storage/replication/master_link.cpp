#include "storage/replication/master_link.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/base/zbase32.h"
#include "storage/replication/message.h"

namespace shingled::storage::replication {
namespace {

constexpr std::size_t kReadBytes = 65'536;
constexpr int kBeatsPerTimeout = 4;
constexpr std::size_t kKeyCharsShown = 16;  ///< enough to find the key in the settings

}  // namespace

MasterLink::MasterLink(StreamListener::Accepted caller, std::unique_ptr<MirrorSession> session,
                       std::chrono::seconds timeout, TimePoint now, Logger& logger)
    : address_(caller.peer.to_string()),
      ip_(caller.peer.ip()),
      timeout_(timeout),
      logger_(logger),
      stream_(TcpStream(std::move(caller.fd))),
      session_(std::move(session)),
      opened_(now),
      heard_(now),
      beat_(now),
      level_(now) {}

pollfd MasterLink::wanted() {
  if (!stream_) return {-1, 0, 0};
  const bool more = !session_->output().empty();
  return {stream_->fd(), static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0};
}

void MasterLink::ready(short events, TimePoint now) {
  if (!stream_ || (events & ~POLLOUT) == 0) return;
  std::array<std::uint8_t, kReadBytes> buffer{};
  const auto count = stream_->read(buffer);
  if (!count) return end(count.error());
  if (*count == 0) return;
  heard_ = now;
  const Status handled = session_->receive(BytesView(buffer).first(*count));
  if (!handled) end(handled.error());
}

bool MasterLink::work(TimePoint now) {
  if (!stream_) return false;
  const bool late = now - heard_ > timeout_ || (!was_proved() && now - opened_ > kHandshakeTime);
  if (late) {
    end({ErrorCode::kTimeout, "nothing received within master_timeout"});
    return false;
  }
  const auto more = session_->work();
  Status outcome = more ? Status() : Status(more.error());
  if (outcome && now - beat_ > timeout_ / kBeatsPerTimeout) {
    beat_ = now;
    session_->beat();
  }
  if (outcome) outcome = stream_->write(session_->output());
  if (!outcome) {
    end(outcome.error());
    return false;
  }
  const MasterProgress& progress = session_->progress();
  if (progress.following && progress.committed >= progress.announced) level_ = now;
  if (progress.following && !std::exchange(said_following_, true)) {
    logger_.info(LogLine("master_following").field("master", address_));
  }
  return *more;
}

TimePoint MasterLink::due() const {
  if (!stream_) return opened_ + std::chrono::hours(24 * 365);
  const TimePoint next = std::min(heard_ + timeout_, beat_ + timeout_ / kBeatsPerTimeout);
  return was_proved() ? next : std::min(next, opened_ + kHandshakeTime);
}

void MasterLink::end(const Error& error) {
  if (!stream_) return;
  stream_.reset();
  // Strangers are counted and not logged, so they cannot fill the log.
  if (!was_proved()) return;
  if (error.code == ErrorCode::kDenied || error.code == ErrorCode::kLimit) {
    // Without the port, so that repeated tries make equal lines, which are logged once a minute.
    const auto last = address_.rfind(':');
    logger_.warning(LogLine("master_refused")
                        .field("address", address_.substr(0, last))
                        .field("key", to_zbase32(session_->key()).substr(0, kKeyCharsShown))
                        .field("reason", error.message));
    return;
  }
  logger_.info(LogLine("master_lost").field("master", address_).field("reason", error.message));
}

LinkCounters MasterLink::counters(TimePoint now) const {
  const MasterProgress& progress = session_->progress();
  LinkCounters counters;
  counters.peer = address_;
  counters.connected = is_open();
  counters.following = progress.following;
  counters.records = progress.records;
  counters.lag_records = progress.announced - std::min(progress.announced, progress.committed);
  counters.lag_seconds = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(now - level_).count());
  if (progress.following && counters.lag_records == 0) counters.lag_seconds = 0;
  return counters;
}

std::optional<std::size_t> who_makes_room(std::span<const IpAddress> unproved,
                                          const IpAddress& caller) {
  const auto held_by = [&](const IpAddress& ip) {
    return static_cast<std::size_t>(std::ranges::count(unproved, ip));
  };
  const auto first_of = [&](const IpAddress& ip) {
    return static_cast<std::size_t>(std::ranges::find(unproved, ip) - unproved.begin());
  };
  if (held_by(caller) >= kUnprovedOfOneMax) return first_of(caller);
  if (unproved.size() < kUnprovedMax) return std::nullopt;
  const auto most = std::ranges::max_element(unproved, {}, held_by);
  return first_of(*most);
}

}  // namespace shingled::storage::replication
