#pragma once

#include <memory>
#include <string>

#include "config/base/result.h"
#include "config/system/socket_address.h"

struct MMDB_s;

namespace shingled::milter::counters {

/// A MaxMind DB file that says in which country an address is, such as GeoLite2-Country.mmdb or the
/// free ones of DB-IP.
/// Threads: any thread.
/// Source:  MaxMind DB File Format Specification 2.0; `country.iso_code`.
class CountryFile {
 public:
  static constexpr std::size_t kFileBytesMax = std::size_t{512} << 20U;

  /// Reads the whole file into memory, so that it may be replaced or cut meanwhile.
  /// Errors: kInvalid (no such database), those of read_whole_file. They name the file.
  static Result<std::unique_ptr<const CountryFile>> open(const std::string& path);
  ~CountryFile();
  CountryFile(const CountryFile&) = delete;
  CountryFile& operator=(const CountryFile&) = delete;

  /// The country, as the file has it: two letters; empty if the file does not know the address or
  /// is damaged there.
  /// Cost: about 1 µs.
  [[nodiscard]] std::string country_of(const IpAddress& address) const;

 private:
  explicit CountryFile(std::unique_ptr<MMDB_s> database);
  const std::unique_ptr<MMDB_s> database_;
};

}  // namespace shingled::milter::counters
