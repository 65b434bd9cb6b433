#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "milter/input/message_file.h"

namespace shingled::milter::input {

/// A message with the name that users know it by.
struct SourceMessage {
  std::string name;  ///< "spam/1.eml", "box.mbox#3" (the third message of an mbox), "-"
  std::string bytes;
  bool cut = false;            ///< was longer than the bound: only its beginning is here
  std::optional<Error> error;  ///< why there is no message; `bytes` is empty
};

/// The messages that arguments name, one after the other: files, mboxes, directories, standard
/// input.
///
///   FILE   one message, or each message of an mbox
///   DIR    a Maildir (has cur/ and new/): the messages in both, without those flagged T (trashed:
///          deleted or moved away); else every file below it, Maildirs included. Names that begin
///          with a dot are left out, links to directories are not followed. One without any
///          message is an error (kNotFound), folders in it are not.
///   -      standard input; it is also what no argument means
///
/// Order:   as the arguments stand, names of a directory sorted by their bytes.
/// Errors:  a name that cannot be read is one SourceMessage with `error`; the others are read.
/// Memory:  one message of at most `message_bytes_max`, and the list of file names.
/// Threads: one thread.
class MessageSource {
 public:
  struct Options {
    std::uint64_t message_bytes_max = 50UL * 1024 * 1024;
    LineEnds line_ends = LineEnds::kAsMailed;
    int standard_input = 0;
  };

  MessageSource(const std::vector<std::string>& arguments, const Options& options);
  std::optional<SourceMessage> next();

  /// Total size of the files, as far as known, and the bytes read.
  [[nodiscard]] std::uint64_t bytes_total() const { return bytes_total_; }
  [[nodiscard]] std::uint64_t bytes_done() const;

 private:
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::optional<Error> error;
  };

  void add_argument(const std::string& name);
  void add_directory(const std::string& name);
  void add_maildir(const std::string& name);
  void add_failure(const std::string& name, int reason);
  std::optional<SourceMessage> open_next();
  SourceMessage finish_with(Error error);

  Options options_;
  std::deque<File> files_;  ///< still to be opened
  File current_;
  std::optional<MessageFile> open_;
  std::uint64_t bytes_total_ = 0;
  std::uint64_t bytes_closed_ = 0;
};

}  // namespace shingled::milter::input
