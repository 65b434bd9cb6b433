#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "milter/history/row_feed.h"
#include "milter/http/event_stream.h"
#include "milter/http/http_message.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::milter::api {

/// A change of the daemon's state that somebody who watches it wants to see.
struct StateEvent {
  std::string what;  ///< API.md, "Events"
  std::string text;
  std::string link = {};  ///< below /api/1; "" = none
};

/// What happened to events since the start. A new number needs a field and a line in `table`.
struct EventCounts {
  EventCount sent;
  EventCount dropped;
  EventCount cut_off;

  static constexpr auto table() {
    using Counters = EventCounts;
    return std::to_array<CounterLine<Counters, EventCount>>({
        {&Counters::sent, {"shingled_events_sent", "Events given to readers of the stream."}},
        {&Counters::dropped,
         {"shingled_events_dropped", "Events that came faster than they could be written."}},
        {&Counters::cut_off,
         {"shingled_events_cut_off", "Readers of the stream that were too slow."}},
    });
  }
};
static_assert(kHasWholeTable<EventCounts>);

/// Tells those who listen what happens: messages as they are recorded, and changes of the state.
///
/// A message waits for nobody: while somebody listens its row is copied into a queue of kWaitingMax
/// events. The rest is done by the thread inside, which tells what has come and then rests for
/// `Pace::gather`: nobody reads a thousand messages a second, and to write each alone costs more
/// than to judge it. What does not fit, or is more than kMessagesAtOnce, is dropped, counted and
/// told.
/// Does not: keep events for those who come later.
/// Threads: any thread; one inside while somebody listens, "events".
/// Cost:    nobody listens: one read of a number for a message. Else a copy of the row for a message,
///          and on the thread inside some 20 µs, once for all readers.
class EventHub {
 public:
  static constexpr std::size_t kReadersMax = 64;
  static constexpr std::size_t kWaitingMax = 1024;
  static constexpr std::size_t kMessagesAtOnce = 25;
  struct Pace {
    std::chrono::milliseconds gather = std::chrono::milliseconds(250);
    std::chrono::milliseconds heartbeat = std::chrono::seconds(15);
    std::chrono::milliseconds look =
        std::chrono::seconds(1);  ///< whether readers are there and may
  };

  /// `clock` must outlive it.
  explicit EventHub(const Clock& clock, Pace pace);
  explicit EventHub(const Clock& clock) : EventHub(clock, Pace()) {}
  ~EventHub() { end(); }
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;
  EventHub(EventHub&&) = delete;
  EventHub& operator=(EventHub&&) = delete;

  /// For the recorder of the history. It may outlive the hub.
  [[nodiscard]] const std::shared_ptr<history::RowFeed>& feed() const { return feed_; }
  [[nodiscard]] bool has_readers() const { return feed_->is_wanted(); }
  /// Never waits; nothing happens while nobody listens.
  void tell(StateEvent event);

  /// Who may listen still. Call it before the first reader.
  void check_with(std::function<bool(const http::Caller&)> may) { may_ = std::move(may); }
  /// A new reader. `text`: of its first event.
  /// Errors:  kUnavailable: too many already, or it ends.
  Result<std::shared_ptr<http::EventStream>> listen(const http::Caller& caller,
                                                    const std::string& text);
  /// Ends all streams with an event that says so. Nobody can listen any more.
  void end();
  void report(MetricReport& report) const;

 private:
  struct Row {
    storage::sqlite::HistoryRow row;
    bool is_kept = false;
  };
  using Event = std::variant<Row, StateEvent>;
  struct Reader {
    http::Caller caller;
    std::shared_ptr<http::EventStream> stream;
  };
  void take(Event event);
  struct Batch {
    std::deque<Event> events;
    std::uint64_t lost = 0;
  };
  /// Waits for events, and at least until `rest` if there are some.
  Batch await(const std::stop_token& stop, std::chrono::steady_clock::time_point rest);
  void run(const std::stop_token& stop);
  /// Tells all readers all of it, in as few writes as may be.
  void send(const Batch& batch);
  void send(std::string text, std::uint64_t events);
  void drop_readers(const std::function<bool(const Reader&)>& drop);
  [[nodiscard]] std::string text_of(const Event& event) const;
  [[nodiscard]] std::string text_of(const StateEvent& event) const;

  const Clock& clock_;
  const Pace pace_;
  EventCounts counts_;
  std::function<bool(const http::Caller&)> may_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Event> waiting_ SHINGLED_GUARDED_BY(mutex_);
  std::size_t messages_ SHINGLED_GUARDED_BY(mutex_) = 0;  ///< among `waiting_`
  std::uint64_t lost_ SHINGLED_GUARDED_BY(mutex_) = 0;    ///< not told yet
  bool ended_ SHINGLED_GUARDED_BY(mutex_) = false;
  mutable Guarded<std::vector<Reader>> readers_;    ///< taken after `mutex_`, before a stream
  const std::shared_ptr<Guarded<EventHub*>> self_;  ///< null after `end`
  const std::shared_ptr<history::RowFeed> feed_;
  std::optional<std::jthread> thread_ SHINGLED_GUARDED_BY(mutex_);
};

}  // namespace shingled::milter::api
