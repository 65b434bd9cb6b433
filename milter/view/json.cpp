#include "milter/view/json.h"

#include <nlohmann/json.hpp>

namespace shingled::milter::view {

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace shingled::milter::view
