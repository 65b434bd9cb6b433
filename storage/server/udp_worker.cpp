#include "storage/server/udp_worker.h"

#include <sys/epoll.h>

#include <span>
#include <utility>
#include <variant>

#include "storage/server/server_counters.h"

namespace shingled::storage::server {

namespace {
// Batches read from one socket in a row, before the other sockets are read.
constexpr int kBatchesInARow = 16;
constexpr int kEventsMax = 16;
}  // namespace

UdpWorker::UdpWorker(std::size_t number, const WorkerShared& shared, std::vector<UdpSocket> sockets)
    : number_(number),
      shared_(shared),
      sockets_(std::move(sockets)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      handler_(shared.store, shared.random, counters_, number, &shared.losses) {
  for (std::size_t i = 0; i < sockets_.size(); ++i) watch_input(epoll_.get(), sockets_[i].fd(), i);
  watch_input(epoll_.get(), shared_.pending.mailbox(number_).fd(), kMailboxEvent);
}

void UdpWorker::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) wait(-1);
  // No new requests from here on. Updates in progress are answered after their commit.
  const TimePoint deadline = shared_.clock.now() + kDrainMax;
  for (const UdpSocket& socket : sockets_)
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket.fd(), nullptr);
  while (!shared_.pending.idle() && shared_.clock.now() < deadline) wait(kDrainPollMs);
  answer_finished();
}

void UdpWorker::wait(int timeout_ms) {
  std::array<epoll_event, kEventsMax> events{};
  const int count = epoll_wait(epoll_.get(), events.data(), kEventsMax, timeout_ms);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t name = events[static_cast<std::size_t>(i)].data.u64;
    if (name == kMailboxEvent) {
      within_memory(counters_, shared_.losses, shared_.clock.now(), [&] { answer_finished(); });
    } else {
      serve(name);
    }
  }
}

void UdpWorker::serve(std::size_t socket) {
  for (int batch = 0; batch < kBatchesInARow; ++batch) {
    look_for_new_access();
    sockets_[socket].receive(received_);
    if (received_.size() == 0) return;
    const TimePoint now = shared_.clock.now();
    const std::uint32_t kernel_drops = sockets_[socket].take_drops();
    const std::uint64_t too_late = counters_.too_late.read();
    const access::Moment moment{now, shared_.clock.wall()};
    for (std::size_t i = 0; i < received_.size(); ++i)
      within_memory(counters_, shared_.losses, now, [&] { handle(socket, i, moment); });
    within_memory(counters_, shared_.losses, now, [&] { answer_checks(moment.wall); });
    asked_count_ = 0;
    flush(socket);
    counters_.kernel_drops.add(kernel_drops);
    shared_.losses.record(kernel_drops, counters_.too_late.read() - too_late, now);
    if (received_.size() < kBatchPackets) return;  // level-triggered: epoll reports the rest
  }
}

void UdpWorker::look_for_new_access() {
  const std::uint64_t version = shared_.access.version();
  if (version == access_version_) return;
  auto snapshot = shared_.access.get();
  handler_.use(std::move(snapshot.access), snapshot.key_cache_size);
  queue_wait_max_ = snapshot.queue_wait_max;
  access_version_ = version;
}

void UdpWorker::handle(std::size_t socket, std::size_t i, const access::Moment& now) {
  const BytesView packet = received_.packet(i);
  if (is_too_late(packet, received_.waited(i), queue_wait_max_)) {
    counters_.too_late.add(1);
    return;
  }
  Handled handled = handler_.handle(packet, received_.peer(i), now, replies_.room());
  if (const Answer* answer = std::get_if<Answer>(&handled)) {
    replies_.add(answer->bytes, received_.route(i));
  } else if (auto* check = std::get_if<PendingCheck>(&handled)) {
    asked_[asked_count_++] = {i, *check};
  } else if (const auto* update = std::get_if<PendingUpdate>(&handled)) {
    submit(socket, i, *update, now.steady);
  }
}

void UdpWorker::submit(std::size_t socket, std::size_t i, const PendingUpdate& pending,
                       TimePoint now) {
  const ReplyRoute route = received_.route(i);
  const auto taken = shared_.pending.submit(
      shared_.store, pending, {number_, DatagramRoute{socket, route}, pending.ticket}, now);
  if (taken != PendingUpdates::Taken::kFirst) counters_.repeats.add(1);
  if (taken != PendingUpdates::Taken::kKnownDone) return;
  replies_.add(handler_.repeat(pending.ticket, replies_.room()).bytes, route);
}

void UdpWorker::answer_checks(WallTime now) {
  if (asked_count_ == 0) return;
  std::array<Question, kBatchPackets> questions;
  for (std::size_t i = 0; i < asked_count_; ++i) questions[i] = asked_[i].check.question();
  const auto wall = unix_seconds(now);
  const bool reached =
      shared_.store.check_batch(std::span(questions).first(asked_count_), wall, matches_);
  for (std::size_t i = 0; i < asked_count_; ++i) {
    const PendingCheck& check = asked_[i].check;
    const Answer answer = reached || matches_[i]
                              ? handler_.finish_check(check, matches_[i], now, replies_.room())
                              : handler_.finish_unasked(check, replies_.room());
    replies_.add(answer.bytes, received_.route(asked_[i].packet));
  }
}

void UdpWorker::answer_finished() {
  auto finished = shared_.pending.mailbox(number_).take();
  for (std::size_t socket = 0; socket < sockets_.size(); ++socket) {
    for (const FinishedUpdate& update : finished) {
      const auto* route = std::get_if<DatagramRoute>(&update.waiting.route);
      if (route == nullptr || route->socket != socket) continue;
      const Answer answer = handler_.finish(update.waiting.ticket, update.stored, replies_.room());
      replies_.add(answer.bytes, route->reply);
      if (replies_.full()) flush(socket);
    }
    flush(socket);
  }
}

void UdpWorker::flush(std::size_t socket) {
  if (!replies_.empty()) counters_.unsent.add(sockets_[socket].send(replies_));
}

}  // namespace shingled::storage::server
