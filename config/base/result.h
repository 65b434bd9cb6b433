#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "config/base/assert.h"

namespace shingled {

/// What a caller can do about a failure. Few on purpose: each means retry, refuse or give up.
enum class ErrorCode {
  kInvalid,      ///< the input is wrong; the same call fails again
  kNotFound,     ///< a named thing (file, table, host) does not exist
  kCorrupt,      ///< stored or received bytes are not valid
  kDenied,       ///< the peer or the system refuses us
  kLimit,        ///< a named bound was reached
  kTimeout,      ///< the deadline passed
  kUnavailable,  ///< try again later: a peer is down, a disk is full, a file is locked
  kInternal,     ///< our own bug
};

/// The name of the code in logs: "invalid", "not_found", ...
std::string_view to_string(ErrorCode code);

/// A failure with its reason. `message` is one line for an operator, without secrets and content of
/// mail.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  /// The error with its context in front: `error.in("opening /var/lib/x")`.
  [[nodiscard]] Error in(std::string_view doing) const {
    return {code, std::string(doing) + ": " + message};
  }
  friend bool operator==(const Error&, const Error&) = default;
};

/// A value or an Error. It has the member names of std::expected, which can replace it some day.
/// Threads: a value, as safe as T.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit, so that `return value;` and `return Error{...};` work.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  [[nodiscard]] T& value() & {
    SHINGLED_DEBUG_ASSERT(has_value());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    SHINGLED_DEBUG_ASSERT(has_value());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    SHINGLED_DEBUG_ASSERT(has_value());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const {
    SHINGLED_DEBUG_ASSERT(!has_value());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] T value_or(T other) const& { return has_value() ? value() : std::move(other); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  [[nodiscard]] bool has_value() const { return ok_; }
  explicit operator bool() const { return ok_; }
  [[nodiscard]] const Error& error() const {
    SHINGLED_DEBUG_ASSERT(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace shingled
