#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "milter/api/route.h"
#include "milter/judge/snapshot.h"

namespace shingled::milter::api {

/// What would happen to a message, and why. Nothing is stored or counted (judge/tried_message.h).
///
///   POST /api/1/scan?ip=&client_name=&helo=&from=&to=&user=   the body is the message as it is ->
///                                                            view::scan_json() and "unchecked"
///
/// 400: no message, or a wrong address. 503: there is no milter, no memory for the analysis, or the
/// server ends.
/// Threads: any thread. One message is judged at a time (Route::Pace::kSlow).
class ScanResource {
 public:
  /// Takes memory for the analysis of a message of that many bytes; null = there is none. It is
  /// given back when the pointer goes.
  using Memory =
      std::function<std::shared_ptr<void>(std::uint64_t bytes, const std::stop_token& stop)>;
  static constexpr std::size_t kRecipientsMost = 100;  ///< in one question

  /// `snapshot` must outlive it.
  ScanResource(const judge::CurrentSnapshot& snapshot, Memory memory)
      : snapshot_(snapshot), memory_(std::move(memory)) {}

  /// Ends the scan that is under way, and refuses later ones. Call it before what the snapshot uses
  /// goes.
  void close();

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply scan(const Call& call) const;

  const judge::CurrentSnapshot& snapshot_;
  Memory memory_;
  std::stop_source closing_;
  mutable Mutex turn_;  ///< of one scan from beginning to end
};

}  // namespace shingled::milter::api
