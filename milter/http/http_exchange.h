#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "milter/http/http_message.h"

namespace shingled::milter::http {

/// The bytes of bodies that all connections of a server have in memory.
/// Threads: any thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t most) : most_(most) {}
  /// False if there is no room; then nothing is taken.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= most_) return true;
    used_ -= bytes;
    return false;
  }
  void give_back(std::uint64_t bytes) { used_ -= bytes; }

 private:
  const std::uint64_t most_;
  std::atomic<std::uint64_t> used_{0};
};

/// A request from its headers to the end of its reply.
/// Threads: one at a time.
class HttpExchange {
 public:
  /// `budget` must outlive it.
  HttpExchange(HttpRequest request, std::uint64_t body_bytes_max, BodyBudget& budget)
      : request_(std::move(request)), body_bytes_max_(body_bytes_max), budget_(budget) {}
  ~HttpExchange() { drop_body(); }
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  HttpExchange(HttpExchange&&) = delete;
  HttpExchange& operator=(HttpExchange&&) = delete;

  [[nodiscard]] const HttpRequest& request() const { return request_; }

  /// Takes the next bytes of the body. If they exceed a bound, the body is dropped, and `status`
  /// says why.
  void take(std::string_view bytes) {
    if (status_ != 0) return;
    if (bytes.size() > body_bytes_max_ - request_.body.size()) {
      refuse(kTooLarge);
    } else if (!budget_.take(bytes.size())) {
      refuse(kBusy);
    } else {
      request_.body += bytes;
    }
  }
  /// 413 or 503 if the body could not be taken, else 0.
  [[nodiscard]] unsigned status() const { return status_; }

  /// The reply of work that took long.
  void finish(HttpReply reply) {
    reply_ = std::move(reply);
    is_finished_ = true;
  }
  [[nodiscard]] bool is_finished() const { return is_finished_; }
  [[nodiscard]] HttpReply& reply() { return reply_; }

  /// What may be sent of a reply. To HEAD the library would send the last chunk of one in chunks,
  /// and a client would take it for the beginning of the next reply.
  /// The body of the request is given back, unless a producer may still read it: a client may take
  /// long to read the reply.
  [[nodiscard]] HttpReply sendable(HttpReply reply) {
    if (request_.head) reply.more = {};
    if (request_.head) reply.events = nullptr;
    if (!reply.more) drop_body();
    return reply;
  }

  static constexpr unsigned kTooLarge = 413;
  static constexpr unsigned kBusy = 503;

 private:
  void refuse(unsigned status) {
    drop_body();
    status_ = status;
  }
  void drop_body() {
    budget_.give_back(request_.body.size());
    request_.body = {};
  }

  HttpRequest request_;
  const std::uint64_t body_bytes_max_;
  BodyBudget& budget_;
  unsigned status_ = 0;
  HttpReply reply_;
  bool is_finished_ = false;
};

}  // namespace shingled::milter::http
