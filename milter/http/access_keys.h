#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::milter::http {

/// The keys that clients of an HTTP service may send, from a file: one in each line, 16 to 256
/// printable ASCII characters without blanks. Empty lines and those that begin with '#' do not
/// count.
/// Threads: any thread.
class AccessKeys {
 public:
  static constexpr std::size_t kKeyBytesMin = 16;
  static constexpr std::size_t kKeyBytesMax = 256;
  static constexpr std::size_t kFileBytesMax = 64UL * 1024;

  /// Errors: kDenied (others than the owner may read the file, or we may not), kInvalid (a line is
  ///         not a key, or there is none), those of read_whole_file. They name file and line, never
  ///         a key.
  static Result<std::unique_ptr<AccessKeys>> open(std::string path);

  /// The digests of the keys that are in the file now; the keys in force stay.
  /// Errors: those of `open`.
  [[nodiscard]] Result<std::vector<Digest>> read() const;
  /// These are in force from now on.
  void use(std::vector<Digest> digests) { digests_.lock()->swap(digests); }

  /// Cost: 1 µs and some ns for each key, whether or not it is one of them.
  [[nodiscard]] bool accept(std::string_view key) const;

 private:
  explicit AccessKeys(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  mutable Guarded<std::vector<Digest>> digests_;
};

}  // namespace shingled::milter::http
