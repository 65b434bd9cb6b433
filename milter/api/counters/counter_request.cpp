#include "milter/api/counters/counter_request.h"

#include <nlohmann/json.hpp>

#include "milter/api/counters/counter_reader.h"

namespace shingled::milter::api {

using storage::counters::Addition;
using storage::counters::Direction;

Addition CounterRequest::addition() const {
  Addition out;
  out.amounts = add;
  for (RequestedPiece piece : pieces) {
    piece.key.direction = direction.value_or(Direction::kIn);
    if (piece.unique)
      out.pairs.push_back({piece.key, *piece.unique});
    else
      out.counters.push_back(piece.key);
  }
  return out;
}

Result<CounterRequest> parse_counter_request(std::string_view body, const CounterForm& form,
                                             const CounterKeyBytes& site) {
  CounterReader reader(form, site);
  const std::string_view text = body.empty() ? std::string_view("{}") : body;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader))
    return Error{ErrorCode::kInvalid, reader.error()};
  CounterRequest request = reader.take();
  for (RequestedPiece& piece : request.pieces)
    piece.key.direction = request.direction.value_or(Direction::kIn);
  return request;
}

}  // namespace shingled::milter::api
