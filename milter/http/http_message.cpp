#include "milter/http/http_message.h"

namespace shingled::milter::http {

std::string_view to_string(HttpMethod method) {
  switch (method) {
    case HttpMethod::kGet:
      return "GET";
    case HttpMethod::kPost:
      return "POST";
    case HttpMethod::kDelete:
      break;
  }
  return "DELETE";
}

}  // namespace shingled::milter::http
