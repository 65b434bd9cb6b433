#include "storage/replication/mirror_link.h"

#include <algorithm>
#include <array>
#include <utility>

namespace shingled::storage::replication {
namespace {

constexpr std::size_t kReadBytes = 65'536;
constexpr int kBeatsPerTimeout = 4;

}  // namespace

MirrorLink::MirrorLink(const MirrorOptions& mirror, const ReplicationOptions& options,
                       const StoreId& self, sqlite::ReplicaReader& reader, Random& random,
                       Logger& logger, std::function<void()> wake)
    : mirror_(mirror),
      own_(options.sync_keypair.front()),
      timeout_(options.master_timeout),
      self_(self),
      reader_(reader),
      random_(random),
      logger_(logger),
      lookup_(mirror.address, std::move(wake)) {
  counters_.peer = mirror.name;
}

pollfd MirrorLink::wanted() {
  if (!stream_) return {-1, 0, 0};
  if (!session_) return {stream_->fd(), POLLOUT, 0};
  const bool more = !session_->output().empty();
  return {stream_->fd(), static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0};
}

void MirrorLink::ready(short events, TimePoint now) {
  if (events == 0 || !stream_) return;
  if (!session_) return connected(now);
  if ((events & ~POLLOUT) != 0) read(now);
}

void MirrorLink::connect(TimePoint now) {
  if (addresses_.empty()) {
    auto found = lookup_.take();
    if (!found) return lookup_.begin();
    if (!*found) return failed(found->error(), now);
    addresses_ = **std::move(found);
    std::ranges::reverse(addresses_);
  }
  if (addresses_.empty())
    return failed({ErrorCode::kNotFound, "the host name has no address"}, now);
  const SocketAddress address = addresses_.back();
  addresses_.pop_back();
  auto stream = TcpStream::connect(address);
  if (!stream) return failed(stream.error(), now);
  stream_ = *std::move(stream);
  heard_ = now;
}

void MirrorLink::connected(TimePoint now) {
  if (Status done = stream_->finish(); !done) return failed(done.error(), now);
  session_ = std::make_unique<MasterSession>(
      self_, reader_, SecureChannel::call(own_, mirror_.key, random_), random_);
  opened_ = now;
  heard_ = now;
  beat_ = now;
}

void MirrorLink::read(TimePoint now) {
  std::array<std::uint8_t, kReadBytes> buffer{};
  const auto count = stream_->read(buffer);
  if (!count) return failed(count.error(), now);
  if (*count == 0) return;
  heard_ = now;
  const Status handled = session_->receive(BytesView(buffer).first(*count));
  if (!handled) failed(handled.error(), now);
}

bool MirrorLink::work(TimePoint now) {
  if (!stream_) {
    if (now >= retry_at_) connect(now);
    return false;
  }
  if (now - heard_ > timeout_) {
    failed({ErrorCode::kTimeout, "nothing received within master_timeout"}, now);
    return false;
  }
  if (!session_) return false;
  const auto more = session_->work();
  Status outcome = more ? Status() : Status(more.error());
  if (outcome && now - beat_ > timeout_ / kBeatsPerTimeout) {
    beat_ = now;
    outcome = session_->beat();
  }
  if (outcome) outcome = stream_->write(session_->output());
  if (!outcome) {
    failed(outcome.error(), now);
    return false;
  }
  mark_healthy(now);
  return *more;
}

void MirrorLink::mark_healthy(TimePoint now) {
  const MirrorProgress& progress = session_->progress();
  if (!progress.following) return;
  // To follow is not enough: a mirror tells its position at once, even if it closes the connection
  // right afterwards each time.
  const bool works = progress.messages > 0 || now - opened_ >= timeout_;
  if (works) {
    failures_ = 0;
    outage_.end();
  }
  if (outage_.lasts() || std::exchange(said_following_, true)) return;
  logger_.info(LogLine("mirror_following").field("mirror", mirror_.name));
}

void MirrorLink::failed(const Error& error, TimePoint now) {
  if (outage_.begin()) {
    logger_.warning(
        LogLine("mirror_lost").field("mirror", mirror_.name).field("reason", error.message));
  }
  if (session_) {
    const MirrorProgress& progress = session_->progress();
    if (progress.following) committed_ = progress.committed;
    counters_.records += progress.records_sent;
    counters_.comparisons += progress.comparisons;
  }
  said_following_ = false;
  session_.reset();
  stream_.reset();
  ++counters_.failures;
  retry_at_ = addresses_.empty() ? now + kRetry.wait(failures_++) : now;
}

TimePoint MirrorLink::due() const {
  if (!stream_) return lookup_.is_under_way() ? TimePoint::max() : retry_at_;
  return std::min(heard_ + timeout_, beat_ + timeout_ / kBeatsPerTimeout);
}

LinkCounters MirrorLink::counters(std::uint32_t wall_now) {
  LinkCounters now = counters_;
  now.connected = session_ != nullptr;
  std::optional<std::uint64_t> committed = committed_;
  if (session_) {
    const MirrorProgress& progress = session_->progress();
    now.following = progress.following;
    now.records += progress.records_sent;
    now.comparisons += progress.comparisons;
    if (progress.following) committed = progress.committed;
  }
  const auto end = reader_.end();
  const auto first = reader_.time_after(committed.value_or(0));
  if (end) now.lag_records = end->number - std::min(end->number, committed.value_or(0));
  if (first && *first) now.lag_seconds = wall_now - std::min(wall_now, **first);
  return now;
}

}  // namespace shingled::storage::replication
