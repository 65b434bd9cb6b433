#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "milter/features/feature.h"
#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/pieces/authentication_results.h"

namespace shingled::milter::features {

/// How a message came, as far as it is known.
struct Arrival {
  std::optional<std::uint64_t> recipients;
  std::optional<bool> local;
  std::optional<bool> authenticated;
  std::optional<bool> bounce;
};

/// Sees the texts of a message while they are hashed, for hash_message().
/// Threads: one.
class TextSummary {
 public:
  void add(const mime::TextStages& text);

  [[nodiscard]] std::uint64_t words() const { return words_; }
  /// Of the longest text; empty if it has none.
  [[nodiscard]] const std::string& language() const { return language_; }

 private:
  std::uint64_t words_ = 0;
  std::size_t longest_ = 0;
  std::string language_;
};

/// What the features are read from.
struct SeenMessage {
  std::string_view bytes;
  const mime::Analysis& analysis;  ///< of these bytes
  const mime::MessageHashes& hashes;
  const TextSummary& texts;
  std::optional<std::size_t> links;  ///< different links in the texts; nullopt = some were left out
  /// Results of servers of ours alone; nullopt = no server is ours.
  std::optional<std::span<const mime::AuthenticationResults>> results;
  Arrival arrival;
  WallTime time;
};

/// All features of a message. What cannot be known stays unknown: of a message that was not looked
/// at to the end what its parts say, and SPF, DKIM and DMARC if no server of ours has a result.
/// Threads: stateless.
FeatureValues message_features(const SeenMessage& message);

}  // namespace shingled::milter::features
