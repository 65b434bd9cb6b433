#pragma once

#include <utility>

#include "storage/sqlite/journal.h"
#include "storage/sqlite/part_table.h"
#include "storage/sqlite/store_table.h"
#include "storage/sqlite/takeback_table.h"

namespace shingled::storage::sqlite {

/// What the writer needs for replication, beside the hashes themselves.
/// Threads: one thread.
struct ReplicaTables {
  StoreTable stores;
  PartTable parts;
  Journal journal;
  TakebackTable takebacks;

  static Result<ReplicaTables> open(Database& database) {
    auto stores = StoreTable::open(database);
    if (!stores) return stores.error();
    auto parts = PartTable::open(database);
    if (!parts) return parts.error();
    auto journal = Journal::open(database);
    if (!journal) return journal.error();
    auto takebacks = TakebackTable::open(database);
    if (!takebacks) return takebacks.error();
    return ReplicaTables{*std::move(stores), *std::move(parts), *std::move(journal),
                         *std::move(takebacks)};
  }
};

}  // namespace shingled::storage::sqlite
