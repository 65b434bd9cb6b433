#pragma once

#include <cstdint>
#include <string_view>

namespace shingled::milter::http {

/// What the fields of a request say of its body.
/// Threads: a value.
struct AnnouncedBody {
  bool present = false;
  std::uint64_t bytes = 0;  ///< 0 if it is not known
  int lengths = 0;          ///< fields of Content-Length
  bool chunked = false;

  /// Takes a field of the header.
  void see(std::string_view name, std::string_view value);
  /// Whether another server may see another end of the body (RFC 9112 6.3): that is how requests
  /// are smuggled past a proxy.
  [[nodiscard]] bool contradicts() const { return lengths > 1 || (lengths > 0 && chunked); }
};

}  // namespace shingled::milter::http
