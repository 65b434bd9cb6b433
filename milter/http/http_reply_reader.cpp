#include "milter/http/http_reply_reader.h"

#include <algorithm>
#include <charconv>

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled::milter::http {

namespace {

constexpr unsigned kGood = 200;
constexpr unsigned kNoContent = 204;
constexpr std::size_t kLineBytesMax = 1024;  ///< of chunked coding
constexpr int kHexadecimal = 16;

Error not_http() { return {ErrorCode::kCorrupt, "the answer is not HTTP"}; }

}  // namespace

Status HttpReplyReader::add(std::string_view bytes) {
  while (!bytes.empty() && place_ != Place::kDone) {
    if (place_ == Place::kBody || place_ == Place::kBodyToEnd || place_ == Place::kChunk) {
      if (Status taken = take_body(bytes); !taken) return taken;
      continue;
    }
    const bool head = place_ == Place::kHead;
    const std::string_view mark = head ? "\r\n\r\n" : "\r\n";
    const std::size_t bytes_max = head ? kHeadBytesMax : kLineBytesMax;
    // What was there before cannot hold the mark, but for its beginning.
    const std::size_t from = line_.size() < mark.size() ? 0 : line_.size() - mark.size() + 1;
    const std::size_t had = line_.size();
    line_ += bytes.substr(0, bytes_max);
    const std::size_t end = line_.find(mark, from);
    if (end == std::string::npos) {
      if (line_.size() > bytes_max) return not_http();
      bytes.remove_prefix(std::min(bytes.size(), bytes_max));
      continue;
    }
    bytes.remove_prefix(end + mark.size() - had);
    const std::string whole = line_.substr(0, end);
    line_.clear();
    Status read = head ? read_head(whole) : read_line(whole);
    if (!read) return read;
  }
  return {};
}

Status HttpReplyReader::end() {
  if (place_ == Place::kBodyToEnd) place_ = Place::kDone;
  if (complete()) return {};
  return place_ == Place::kHead ? not_http() : Error{ErrorCode::kCorrupt, "the answer is cut off"};
}

Status HttpReplyReader::read_head(std::string_view head) {
  const std::size_t code = head.find(' ');
  if (!head.starts_with("HTTP/1.") || code == std::string_view::npos) return not_http();
  const auto status = parse_whole<unsigned>(head.substr(code + 1, 3));
  if (!status) return not_http();
  reply_.status = *status;
  std::size_t begin = std::min(head.find("\r\n"), head.size());
  while (begin < head.size()) {
    begin += 2;
    const std::size_t end = std::min(head.find("\r\n", begin), head.size());
    if (Status read = read_field(head.substr(begin, end - begin)); !read) return read;
    begin = end;
  }
  if (chunked_) {
    place_ = Place::kChunkSize;
  } else if (has_length_ || reply_.status == kNoContent) {
    place_ = left_ == 0 ? Place::kDone : Place::kBody;
  } else {
    place_ = Place::kBodyToEnd;
  }
  return {};
}

Status HttpReplyReader::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string name = ascii::to_lower(line.substr(0, colon));
  const std::string_view value = ascii::trim_space(line.substr(colon + 1));
  if (name == "content-type") reply_.type = value;
  if (name == "transfer-encoding") chunked_ = ascii::equal_ignoring_case(value, "chunked");
  if (name == "content-length") {
    const auto length = parse_whole<std::uint64_t>(value);
    if (!length) return not_http();
    left_ = *length;
    has_length_ = true;
  }
  return {};
}

Status HttpReplyReader::take_body(std::string_view& bytes) {
  std::string_view piece = bytes;
  if (place_ != Place::kBodyToEnd) {
    piece = bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size()));
    left_ -= piece.size();
  }
  bytes.remove_prefix(piece.size());
  if (place_ == Place::kBody && left_ == 0) place_ = Place::kDone;
  if (place_ == Place::kChunk && left_ == 0) place_ = Place::kChunkEnd;
  return deliver(piece);
}

Status HttpReplyReader::deliver(std::string_view piece) {
  if (reply_.status == kGood) return take_(piece);
  reply_.body += piece.substr(0, kErrorBytesMax - reply_.body.size());
  return {};
}

Status HttpReplyReader::read_line(std::string_view line) {
  if (place_ == Place::kTrailer) {
    if (line.empty()) place_ = Place::kDone;
    return {};
  }
  if (place_ == Place::kChunkEnd) {
    place_ = Place::kChunkSize;
    return line.empty() ? Status() : not_http();
  }
  const std::string_view digits = ascii::trim_space(line.substr(0, line.find(';')));
  const char* const last = digits.data() + digits.size();
  const auto [end, failure] = std::from_chars(digits.data(), last, left_, kHexadecimal);
  if (failure != std::errc{} || end != last) return not_http();
  place_ = left_ == 0 ? Place::kTrailer : Place::kChunk;
  return {};
}

}  // namespace shingled::milter::http
