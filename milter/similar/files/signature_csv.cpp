#include "milter/similar/files/signature_csv.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "config/system/os_error.h"
#include "milter/process/interrupt.h"

namespace shingled::milter::similar {

namespace {

constexpr std::string_view kListBeginning = "ssdeep,1.";
static_assert(kListBeginning.size() == kHeadlineSeen);
static_assert(kSignatureHeadline.substr(0, kHeadlineSeen) == kListBeginning);

/// The text between the quotation marks, without the backslashes before quotation marks.
std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"') continue;
    out += text[i];
  }
  return out;
}

}  // namespace

bool begins_signature_list(std::string_view beginning) {
  return beginning.starts_with(kListBeginning);
}

std::string signature_line(const fingerprint::Spamsum& signature, std::string_view name) {
  std::string out = signature.text() + ",\"";
  for (const char c : name) {
    if (c == '\n') {
      out += "\\x0a";
      continue;
    }
    if (c == '"') out += '\\';
    out += c;
  }
  return out + '"';
}

Result<SignatureRow> parse_signature_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t comma = line.find(',');
  auto signature = fingerprint::Spamsum::parse(line);
  if (!signature) return signature.error();
  SignatureRow row{*std::move(signature), ""};
  if (comma == std::string_view::npos) return row;
  const std::string_view quoted = line.substr(comma + 1);
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') {
    return Error{ErrorCode::kInvalid, "the name is not in quotation marks"};
  }
  row.name = unescaped(quoted.substr(1, quoted.size() - 2));
  return row;
}

Status read_signature_list(const UniqueFd& fd, std::string beginning,
                           const std::function<bool(SignatureRow)>& take,
                           const std::function<void(std::uint64_t line, const Error&)>& refuse) {
  constexpr std::size_t kReadBytes = std::size_t{64} << 10;
  std::string text = std::move(beginning);
  std::uint64_t number = 0;
  // False: `take` wants no more rows.
  const auto handle = [&](std::string_view line) {
    if (++number == 1 || line.empty() || line == "\r") return true;  // the headline comes first
    auto row = parse_signature_line(line);
    if (row) return take(*std::move(row));
    refuse(number, row.error());
    return true;
  };
  for (bool more = true; more;) {
    const std::size_t had = text.size();
    text.resize(had + kReadBytes);
    ssize_t count = 0;
    do {
      if (!process::wait_for_bytes(fd.get())) return Error{ErrorCode::kTimeout, "interrupted"};
      count = ::read(fd.get(), text.data() + had, kReadBytes);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return os_error(errno);
    more = count > 0;
    text.resize(had + static_cast<std::size_t>(count));
    if (!more && !text.empty() && !text.ends_with('\n')) text += '\n';
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;) {
      if (!handle(std::string_view(text).substr(begin, end - begin))) return {};
      begin = end + 1;
    }
    text.erase(0, begin);
    if (text.size() > kSignatureLineMax) {
      return Error{ErrorCode::kLimit, "line " + std::to_string(number + 1) + " is too long"};
    }
  }
  return {};
}

}  // namespace shingled::milter::similar
