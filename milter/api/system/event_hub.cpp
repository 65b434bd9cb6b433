#include "milter/api/system/event_hub.h"

#include <pthread.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/metrics/metric_report.h"
#include "milter/history/row_code.h"
#include "milter/view/message_json.h"
#include "milter/view/policy_json.h"

namespace shingled::milter::api {

namespace {

using storage::sqlite::HistoryReader;

constexpr std::size_t kWriteBytes = std::size_t{64} << 10U;  ///< given to a reader at once

const http::EventStream::Text& still_here() {
  static const auto text = std::make_shared<const std::string>(": still here\n\n");
  return text;
}

std::string event_text(std::string_view name, const Json& data) {
  std::string out = "event: ";
  return out.append(name).append("\ndata: ").append(view::json_text(data)).append("\n\n");
}

/// As the list of messages shows it; "" for a row that cannot be read.
std::string message_text(const storage::sqlite::HistoryRow& row, bool is_kept) {
  history::MessageRecord record;
  if (!history::decode_record(row.details, record)) return "";
  const HistoryReader::View view{.time = row.time,
                                 .queue_id = as_bytes(row.queue_id),
                                 .sender = row.sender,
                                 .action = row.action,
                                 .label = row.label,
                                 .details = row.details,
                                 .sender_name = as_bytes(row.sender_name),
                                 .recipients = as_bytes(row.recipients),
                                 .subject = as_bytes(row.subject),
                                 .is_kept = is_kept};
  return event_text("message", view::message_json({view, record}));
}

}  // namespace

EventHub::EventHub(const Clock& clock, Pace pace)
    : clock_(clock),
      pace_(pace),
      self_(std::make_shared<Guarded<EventHub*>>(std::in_place, this)),
      feed_(std::make_shared<history::RowFeed>(
          [self = self_](storage::sqlite::HistoryRow row, bool is_kept) {
            // With the lock: a message may be recorded while the daemon ends.
            auto hub = self->lock();
            if (*hub != nullptr) (*hub)->take(Row{std::move(row), is_kept});
          })) {}

std::string EventHub::text_of(const StateEvent& event) const {
  return event_text("state", {{"time", view::time_text(clock_.wall())},
                              {"what", event.what},
                              {"text", event.text},
                              {"link", event.link.empty() ? Json(nullptr) : Json(event.link)}});
}

std::string EventHub::text_of(const Event& event) const {
  if (const auto* state = std::get_if<StateEvent>(&event)) return text_of(*state);
  const Row& row = std::get<Row>(event);
  return message_text(row.row, row.is_kept);
}

void EventHub::tell(StateEvent event) {
  if (has_readers()) take(std::move(event));
}

void EventHub::take(Event event) {
  const MutexLock lock(mutex_);
  if (ended_) return;
  const bool message = std::holds_alternative<Row>(event);
  if (waiting_.size() == kWaitingMax || (message && messages_ == kMessagesAtOnce)) {
    ++lost_;
    counts_.dropped.add();
    return;
  }
  if (message) ++messages_;
  waiting_.push_back(std::move(event));
  if (waiting_.size() == 1) changed_.notify_one();
}

Result<std::shared_ptr<http::EventStream>> EventHub::listen(const http::Caller& caller,
                                                            const std::string& text) {
  auto stream = std::make_shared<http::EventStream>();
  static_cast<void>(stream->send(std::make_shared<const std::string>(
      "retry: 3000\n\n" + text_of(StateEvent{"connected", text}))));
  const MutexLock lock(mutex_);
  if (ended_) return Error{ErrorCode::kUnavailable, "the daemon ends"};
  {
    auto readers = readers_.lock();
    std::erase_if(*readers, [](const Reader& one) { return !one.stream->is_open(); });
    if (readers->size() == kReadersMax) {
      for (const Reader& one : *readers) one.stream->end_if_left();
      std::erase_if(*readers, [](const Reader& one) { return !one.stream->is_open(); });
    }
    if (readers->size() == kReadersMax)
      return Error{ErrorCode::kUnavailable, "64 readers listen already; try again later"};
    readers->push_back({caller, stream});
  }
  feed_->set_wanted(true);
  changed_.notify_one();
  if (!thread_) {
    thread_.emplace([this](const std::stop_token& stop) { run(stop); });
    ::pthread_setname_np(thread_->native_handle(), "events");
  }
  return stream;
}

void EventHub::drop_readers(const std::function<bool(const Reader&)>& drop) {
  auto readers = readers_.lock();
  std::erase_if(*readers, [&](const Reader& one) {
    if (!drop(one)) return false;
    if (one.stream->was_too_slow()) counts_.cut_off.add();
    return true;
  });
  if (readers->empty()) feed_->set_wanted(false);
}

void EventHub::send(std::string text, std::uint64_t events) {
  if (text.empty()) return;
  const auto shared = std::make_shared<const std::string>(std::move(text));
  drop_readers([&](const Reader& one) {
    const bool sent = one.stream->send(shared);
    if (sent) counts_.sent.add(events);
    return !sent;
  });
}

void EventHub::send(const Batch& batch) {
  std::string text;
  std::uint64_t events = 0;
  for (const Event& event : batch.events) {
    const std::string one = text_of(event);
    if (one.empty()) continue;
    text += one;
    ++events;
    if (text.size() < kWriteBytes) continue;
    send(std::exchange(text, {}), std::exchange(events, 0));
  }
  if (batch.lost > 0) {
    text += text_of(StateEvent{"lost", std::to_string(batch.lost) + " events were left out"});
    ++events;
  }
  send(std::move(text), events);
}

EventHub::Batch EventHub::await(const std::stop_token& stop,
                                std::chrono::steady_clock::time_point rest) {
  MutexLock lock(mutex_);
  const auto something = [this]() SHINGLED_REQUIRES(mutex_) { return !waiting_.empty(); };
  // While nobody listens there is nothing to do at all.
  if (has_readers()) {
    changed_.wait_for(lock.as_lock(), stop, std::min(pace_.look, pace_.heartbeat), something);
  } else {
    waiting_.clear();
    messages_ = 0;
    changed_.wait(lock.as_lock(), stop,
                  [&]() SHINGLED_REQUIRES(mutex_) { return something() || has_readers(); });
  }
  if (something()) changed_.wait_until(lock.as_lock(), stop, rest, [] { return false; });
  messages_ = 0;
  return {std::exchange(waiting_, {}), std::exchange(lost_, 0)};
}

void EventHub::run(const std::stop_token& stop) {
  TimePoint beat = clock_.now() + pace_.heartbeat;
  TimePoint look = clock_.now() + pace_.look;
  std::chrono::steady_clock::time_point rest;
  while (!stop.stop_requested()) {
    const Batch batch = await(stop, rest);
    if (!batch.events.empty()) rest = std::chrono::steady_clock::now() + pace_.gather;
    send(batch);
    const TimePoint now = clock_.now();
    if (now >= look) {
      look = now + pace_.look;
      drop_readers([&](const Reader& one) {
        one.stream->end_if_left();
        if (one.stream->is_open() && (!may_ || may_(one.caller))) return false;
        one.stream->end();
        return true;
      });
    }
    if (now >= beat) {
      beat = now + pace_.heartbeat;
      drop_readers([](const Reader& one) { return !one.stream->send(still_here()); });
    }
  }
}

void EventHub::end() {
  *self_->lock() = nullptr;
  std::optional<std::jthread> thread;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    thread.swap(thread_);
  }
  if (thread) {
    thread->request_stop();
    thread->join();
  }
  const auto text =
      std::make_shared<const std::string>(text_of(StateEvent{"end", "the daemon ends"}));
  drop_readers([&](const Reader& one) {
    static_cast<void>(one.stream->send(text));
    one.stream->end();
    return true;
  });
}

void EventHub::report(MetricReport& report) const {
  report_counters(counts_, report);
  report.gauge({"shingled_events_readers", "Readers of the stream of events."},
               std::uint64_t{readers_.lock()->size()});
}

}  // namespace shingled::milter::api
