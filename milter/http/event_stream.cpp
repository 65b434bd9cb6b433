#include "milter/http/event_stream.h"

#include <utility>

namespace shingled::milter::http {

void EventStream::wake(State& state) {
  if (std::exchange(state.parked, false) && state.resume) state.resume();
}

void EventStream::drop(State& state) {
  state.waiting.clear();
  state.bytes = 0;
}

bool EventStream::send(const Text& text) {
  auto state = state_.lock();
  if (state->ended) return false;
  if (state->waiting.size() >= kTextsMax || state->bytes + text->size() > kBytesMax) {
    state->ended = state->too_slow = true;
    drop(*state);
  } else {
    state->bytes += text->size();
    state->waiting.push_back(text);
  }
  wake(*state);
  return !state->ended;
}

void EventStream::stop(State& state, bool keep) {
  state.ended = true;
  if (!keep) drop(state);
  wake(state);
}

void EventStream::stop(bool keep) { stop(*state_.lock(), keep); }

void EventStream::end_if_left() {
  auto state = state_.lock();
  if (state->parked && state->has_left && state->has_left()) stop(*state, /*keep=*/false);
}

bool EventStream::is_open() const { return !state_.lock()->ended; }

bool EventStream::was_too_slow() const { return state_.lock()->too_slow; }

void EventStream::attach(std::function<void()> resume, std::function<bool()> has_left) {
  auto state = state_.lock();
  state->resume = std::move(resume);
  state->has_left = std::move(has_left);
}

std::optional<std::string> EventStream::take(const std::function<void()>& park) {
  auto state = state_.lock();
  if (!state->waiting.empty()) {
    const Text text = std::move(state->waiting.front());
    state->waiting.pop_front();
    state->bytes -= text->size();
    return *text;
  }
  if (state->ended) return std::nullopt;
  state->parked = true;
  park();
  return std::string();
}

void EventStream::detach() {
  auto state = state_.lock();
  state->ended = true;
  state->parked = false;
  state->resume = nullptr;
  state->has_left = nullptr;
  drop(*state);
}

}  // namespace shingled::milter::http
