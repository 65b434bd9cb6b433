#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/api/messages/message_resource.h"
#include "milter/api/route.h"
#include "milter/names/name_list.h"

namespace shingled::milter::api {

/// The allow and the block list, which are files (names/list_entries.h). The daemon reads them
/// again within a second after a change.
///
///   GET    /api/1/lists/allow?part=&cursor=&most=    its entries, and lines that are wrong
///   POST   /api/1/lists/allow?entry=&reason=         adds one; with try=yes only the effect
///   DELETE /api/1/lists/allow?entry=                 takes it away
///   … /api/1/lists/block                             the same
///
/// milter/API.md has the answers. 400: not an entry of that list. 404: the entry is not there. 503:
/// there is no such list, or somebody else is changing it.
/// Threads: any thread. Reads and writes files.
class ListResource {
 public:
  static constexpr std::size_t kEntriesMost = 10'000;  ///< in one answer

  /// The settings in force; never null.
  using SettingsNow = std::function<std::shared_ptr<const Settings>()>;
  /// `clock` must outlive it.
  ListResource(SettingsNow settings, MessageResource::OpenHistory history, const Clock& clock)
      : settings_(std::move(settings)), history_(std::move(history)), clock_(clock) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  using Kind = names::ListForm::Kind;
  [[nodiscard]] http::HttpReply list(Kind kind, const Call& call) const;
  [[nodiscard]] http::HttpReply add(Kind kind, const Call& call) const;
  [[nodiscard]] http::HttpReply take(Kind kind, const Call& call) const;
  void add_routes(Kind kind, std::vector<Route>& out) const;

  SettingsNow settings_;
  MessageResource::OpenHistory history_;
  const Clock& clock_;
};

}  // namespace shingled::milter::api
