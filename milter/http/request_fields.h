#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace shingled::milter::http {

/// What the fields of a request's header say of its body, and whether somebody else could
/// understand the request otherwise than we do.
/// Threads: a value.
struct RequestFields {
  bool has_body = false;
  std::uint64_t bytes = 0;  ///< of the body; 0 if it is not known

  /// Takes a field of the header.
  void see(std::string_view name, std::string_view value);
  /// Why the request is refused, and with which status.
  struct Refusal {
    unsigned status = 0;  ///< 0 = it is not
    std::string detail = {};
  };
  [[nodiscard]] Refusal refusal() const;

 private:
  int lengths_ = 0;  ///< fields of Content-Length
  bool chunked_ = false;
  bool encoded_ = false;
  std::set<std::string_view> seen_;  ///< of those that may be said once
  std::string_view twice_;           ///< one that was said twice
};

}  // namespace shingled::milter::http
