#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/cli/access/printing.h"
#include "milter/training/retraction.h"
#include "milter/training/trainer.h"

namespace shingled::milter::cli {

/// What `add` and `del` say of each message, as text or as JSON, and at the end of all.
/// Threads: one thread.
class TrainingOutput {
 public:
  TrainingOutput(bool json, Console& console) : json_(json), console_(console) {}

  /// The worst exit code of the messages since the last call.
  int take_code() { return std::exchange(code_, 0); }

 protected:
  /// Prints the view of a message: `object`, or `text` if it is not empty.
  void show(const Json& object, const std::string& text);
  void left_out(const std::string& name, std::string_view why);
  /// `what`: "3 of 4 hashes were added"; empty = none was.
  void failed(const std::string& name, const desk::ServiceFailure& failure,
              const std::string& what);
  void note(int code);
  /// Of several messages, as text only.
  void sum_up(const std::string& text);

  Console& console() { return console_; }
  std::size_t taken_ = 0;
  std::size_t without_hash_ = 0;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;

 private:
  const bool json_;
  Console& console_;
  int code_ = 0;
};

class AdditionOutput : public TrainingOutput {
 public:
  /// All must outlive it.
  AdditionOutput(const desk::Destination& destination, const training::TrainingRequest& request,
                 const ActionOptions& actions, bool json, Console& console)
      : TrainingOutput(json, console),
        destination_(destination),
        request_(request),
        actions_(actions) {}

  void tell(const training::TaughtMessage& message);
  void finish();

 private:
  [[nodiscard]] Json json_of(const training::TaughtMessage& message) const;
  [[nodiscard]] std::string text_of(const training::TaughtMessage& message) const;

  const desk::Destination& destination_;
  const training::TrainingRequest& request_;
  const ActionOptions& actions_;
  std::size_t common_ = 0;  ///< not taught: like many others
};

class RetractionOutput : public TrainingOutput {
 public:
  /// All must outlive it.
  RetractionOutput(const desk::Destination& destination, const training::RetractionScope& scope,
                   bool json, Console& console)
      : TrainingOutput(json, console), destination_(destination), scope_(scope) {}

  /// `servers`: how many are asked. `withdraws`: reports, too.
  void begin(std::size_t servers, bool withdraws) {
    servers_ = servers;
    withdraws_ = withdraws;
  }
  void tell(const training::RetractedMessage& message);
  void finish();

 private:
  using Found = std::vector<training::FoundHash>;
  [[nodiscard]] std::string list_name(std::uint32_t flag) const;
  [[nodiscard]] std::string lists_text(const Found& all) const;
  [[nodiscard]] std::string command_for(const training::FoundHash& found) const;
  [[nodiscard]] std::string summary(const training::RetractedMessage& message) const;
  [[nodiscard]] Json json_of(const Found& all) const;
  [[nodiscard]] Json json_of(const training::RetractedMessage& message) const;
  void tell_matching(const training::RetractedMessage& message);

  const desk::Destination& destination_;
  const training::RetractionScope& scope_;
  std::size_t servers_ = 0;
  bool withdraws_ = false;
  std::size_t unknown_ = 0;   ///< not stored at all
  std::size_t matching_ = 0;  ///< found all the same
};

}  // namespace shingled::milter::cli
