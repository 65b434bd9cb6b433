#include "milter/counters/country_file.h"

#include <maxminddb.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "config/system/os_error.h"
#include "config/system/unique_fd.h"
#include "config/system/whole_file.h"

namespace shingled::milter::counters {

namespace {

/// A file without a name that has these bytes. The library maps the file that it opens: if that is
/// cut while it is mapped, the process dies.
Result<UniqueFd> nameless_file(std::string_view bytes) {
  UniqueFd file(::memfd_create("countries", MFD_CLOEXEC));
  if (file.get() < 0) return Error{ErrorCode::kUnavailable, os_reason(errno)};
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Error{ErrorCode::kUnavailable, os_reason(errno)};
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

MMDB_lookup_result_s look_up(const MMDB_s& database, const IpAddress& address, int& error) {
  sockaddr_storage place{};
  if (address.family == IpAddress::Family::kV4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    std::memcpy(&in.sin_addr, address.bytes.data(), sizeof(in.sin_addr));
    std::memcpy(&place, &in, sizeof(in));
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    std::memcpy(&in.sin6_addr, address.bytes.data(), sizeof(in.sin6_addr));
    std::memcpy(&place, &in, sizeof(in));
  }
  return ::MMDB_lookup_sockaddr(&database, reinterpret_cast<const sockaddr*>(&place), &error);
}

}  // namespace

CountryFile::CountryFile(std::unique_ptr<MMDB_s> database) : database_(std::move(database)) {}

CountryFile::~CountryFile() { ::MMDB_close(database_.get()); }

Result<std::unique_ptr<const CountryFile>> CountryFile::open(const std::string& path) {
  const auto content = read_whole_file(path, kFileBytesMax);
  if (!content) return content.error();
  const auto file = nameless_file(content->text);
  if (!file) return Error{file.error().code, path + ": " + file.error().message};
  auto database = std::make_unique<MMDB_s>();
  const std::string name = "/proc/self/fd/" + std::to_string(file->get());
  const int opened = ::MMDB_open(name.c_str(), MMDB_MODE_MMAP, database.get());
  if (opened != MMDB_SUCCESS)
    return Error{ErrorCode::kInvalid,
                 path + ": is not a whole MaxMind DB file (.mmdb): " + ::MMDB_strerror(opened)};
  return std::unique_ptr<const CountryFile>(new CountryFile(std::move(database)));
}

std::string CountryFile::country_of(const IpAddress& address) const {
  int error = MMDB_SUCCESS;
  MMDB_lookup_result_s found = look_up(*database_, address, error);
  if (error != MMDB_SUCCESS || !found.found_entry) return {};
  MMDB_entry_data_s data{};
  const char* const path[] = {"country", "iso_code", nullptr};
  if (::MMDB_aget_value(&found.entry, &data, path) != MMDB_SUCCESS) return {};
  if (!data.has_data || data.type != MMDB_DATA_TYPE_UTF8_STRING) return {};
  constexpr std::uint32_t kLetters = 2;
  if (data.data_size != kLetters) return {};
  return {data.utf8_string, data.data_size};
}

}  // namespace shingled::milter::counters
