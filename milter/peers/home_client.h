#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/report_options.h"
#include "milter/http/http_message.h"
#include "milter/peers/sent_report.h"
#include "storage/sqlite/reports/change_feed.h"

namespace shingled::milter::peers {

/// What the home of reports made of a report.
struct HomeAnswer {
  enum class What : std::uint8_t {
    kTaken,    ///< it is on its disk
    kRefused,  ///< it will never take it
    kNotNow,   ///< it answered, and may take it later
    kAway,     ///< nobody answered, or no daemon did
  };
  What what = What::kAway;
  http::HttpReply reply = {};  ///< what it said, for whoever reports; not of kAway
  std::string why = {};        ///< of all but kTaken
};

/// A part of its change feed (change_feed.h).
struct HomeChanges {
  std::uint64_t site = 0;  ///< site_id() there; 0 = nothing was reported yet
  storage::sqlite::ChangePage page;
};

/// Speaks to the home of reports (`reports.home`), which may be anything: only what a daemon says
/// in the words of its API counts as its answer.
/// Threads: any thread; waits.
/// Cost:    one connection for each call; the key is read from its file each time.
class HomeClient {
 public:
  static constexpr std::size_t kAnswerBytesMax = 4UL * 1024 * 1024;

  /// `clock` must outlive it.
  HomeClient(const ReportOptions& options, const Clock& clock)
      : url_(options.home),
        key_file_(options.home_key_file),
        ca_file_(options.home_ca_file),
        clock_(clock) {}

  [[nodiscard]] const std::string& url() const { return url_; }
  /// `patience`: for all of it.
  [[nodiscard]] HomeAnswer send(const SentReport& report, Duration patience) const;
  /// Errors: kUnavailable, kTimeout (nobody answered), kDenied (the key, or a certificate),
  ///         kCorrupt (no answer of a daemon), kInvalid (it is not a home of reports, or does not
  ///         know the cursor).
  [[nodiscard]] Result<HomeChanges> changes(std::string_view cursor, Duration patience) const;

 private:
  [[nodiscard]] Result<http::HttpReply> call(http::HttpMethod method, std::string target,
                                             std::string body, std::string_view type,
                                             Duration patience) const;

  std::string url_;
  std::string key_file_;
  std::string ca_file_;
  const Clock& clock_;
};

}  // namespace shingled::milter::peers
