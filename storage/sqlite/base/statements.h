#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Prepares the statements of a struct (or std::array) of Statement, in the order of its members.
/// The number of texts must be the number of members, otherwise it does not compile.
/// Errors: that of the first text that cannot be prepared.
template <typename Statements, std::size_t N>
Result<Statements> prepare_all(Database& database, const std::string (&texts)[N]) {
  std::vector<Statement> made;
  made.reserve(N);
  for (const std::string& text : texts) {
    auto statement = database.prepare(text.c_str());
    if (!statement) return statement.error();
    made.push_back(*std::move(statement));
  }
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Statements{std::move(made[I])...};
  }
  (std::make_index_sequence<N>());
}

/// Calls `each(statement)` for every row, then resets the statement for the next use.
///
/// `each` returns void, or a Status; an error ends the walk.
/// Errors: those of Database, that of `each`.
template <typename Each>
Status for_each_row(Statement& statement, const Each& each) {
  for (;;) {
    const auto more = statement.step();
    if (!more) return more.error();
    if (!*more) break;
    if constexpr (std::is_void_v<std::invoke_result_t<const Each&, const Statement&>>) {
      each(std::as_const(statement));
    } else if (Status done = each(std::as_const(statement)); !done) {
      statement.reset();
      return done;
    }
  }
  statement.reset();
  return {};
}

}  // namespace shingled::storage::sqlite
