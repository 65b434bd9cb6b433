#include "milter/transfer/record_filter.h"

#include <algorithm>

#include "config/words/units.h"

namespace shingled::milter::transfer {

namespace {

/// The time that long ago, in Unix seconds; at least 0.
Result<std::uint32_t> moment_before(WallTime now, const std::string& option,
                                    const std::string& text) {
  const auto age = config::parse_duration(text);
  if (!age) {
    return Error{ErrorCode::kInvalid, option + " " + text + ": must be a duration such as 30d"};
  }
  const auto moment =
      now.time_since_epoch() - std::chrono::duration_cast<std::chrono::seconds>(*age);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(moment.count(), 0));
}

}  // namespace

Result<RecordFilter> RecordFilter::make(const RecordArguments& arguments, const FlagMap& flags,
                                        WallTime now) {
  RecordFilter filter;
  if (!arguments.flag.empty()) {
    filter.choice_.flag = flags.number(arguments.flag);
    if (!filter.choice_.flag) {
      return Error{ErrorCode::kInvalid, "--flag " + arguments.flag +
                                            ": no such list; give 1 to 255 or a name of the rule"};
    }
  }
  if (arguments.has_value_least) filter.choice_.value_least = arguments.value_least;
  if (!arguments.older.empty()) {
    const auto moment = moment_before(now, "--older", arguments.older);
    if (!moment) return moment.error();
    filter.choice_.updated_most = *moment;
  }
  if (!arguments.newer.empty()) {
    const auto moment = moment_before(now, "--newer", arguments.newer);
    if (!moment) return moment.error();
    filter.choice_.updated_least = *moment;
  }
  if (arguments.digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return Error{ErrorCode::kInvalid,
                 "--digest " + arguments.digest + ": must be hexadecimal digits in lower case"};
  }
  filter.choice_.digest = arguments.digest;
  return filter;
}

}  // namespace shingled::milter::transfer
