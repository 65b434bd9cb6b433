#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::testing {

struct PackedFile {
  std::string name;
  std::string bytes;
};

/// Packed as anyone packs, by libarchive.
inline std::string pack(const std::function<void(::archive*)>& as,
                        const std::vector<PackedFile>& files) {
  std::string out;
  std::size_t most = 1U << 20U;
  for (const PackedFile& file : files) most += file.bytes.size() + 4096;
  out.resize(most);
  std::size_t used = 0;
  ::archive* archive = ::archive_write_new();
  as(archive);
  ::archive_write_set_bytes_per_block(archive, 0);
  ::archive_write_open_memory(archive, out.data(), out.size(), &used);
  for (const PackedFile& file : files) {
    ::archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, file.name.c_str());
    ::archive_entry_set_filetype(entry, AE_IFREG);
    ::archive_entry_set_perm(entry, 0644);
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(file.bytes.size()));
    ::archive_write_header(archive, entry);
    ::archive_write_data(archive, file.bytes.data(), file.bytes.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_close(archive);
  ::archive_write_free(archive);
  out.resize(used);
  return out;
}

inline std::string zip(const std::vector<PackedFile>& files, bool compressed = true) {
  return pack(
      [=](::archive* archive) {
        ::archive_write_set_format_zip(archive);
        if (compressed) {
          ::archive_write_zip_set_compression_deflate(archive);
        } else {
          ::archive_write_zip_set_compression_store(archive);
        }
      },
      files);
}

inline std::string tar(const std::vector<PackedFile>& files) {
  return pack([](::archive* archive) { ::archive_write_set_format_pax_restricted(archive); },
              files);
}

/// `filter`: ARCHIVE_FILTER_GZIP and so on.
inline std::string compress(int filter, const std::string& bytes) {
  return pack(
      [=](::archive* archive) {
        ::archive_write_add_filter(archive, filter);
        ::archive_write_set_format_raw(archive);
      },
      {{"data", bytes}});
}

/// One entry of a zip written by hand, where each field may lie.
struct RawZipEntry {
  std::string name;
  std::string bytes;  ///< stored
  std::uint32_t local_size = 0;
  std::uint32_t central_size = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::int64_t offset = -1;  ///< of the local header, as the directory has it; -1 = the truth
  std::uint32_t crc = 0;
};

inline void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>(value >> (8U * static_cast<unsigned>(i)));
}

inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

/// True sizes and checksum.
inline RawZipEntry honest(std::string name, std::string bytes) {
  RawZipEntry entry;
  entry.name = std::move(name);
  entry.local_size = entry.central_size = static_cast<std::uint32_t>(bytes.size());
  entry.crc = crc32(bytes);
  entry.bytes = std::move(bytes);
  return entry;
}

inline std::string raw_zip(const std::vector<RawZipEntry>& entries) {
  std::string out;
  std::string directory;
  for (const RawZipEntry& entry : entries) {
    const std::uint64_t offset =
        entry.offset < 0 ? out.size() : static_cast<std::uint64_t>(entry.offset);
    const auto common = [&](std::string& to, std::uint32_t size) {
      append_number(to, 20, 2);
      append_number(to, entry.flags, 2);
      append_number(to, entry.method, 2);
      append_number(to, 0, 4);  // time
      append_number(to, entry.crc, 4);
      append_number(to, size, 4);
      append_number(to, size, 4);
      append_number(to, entry.name.size(), 2);
      append_number(to, 0, 2);  // extra
    };
    out += "PK\x03\x04";
    common(out, entry.local_size);
    out += entry.name + entry.bytes;
    directory += "PK\x01\x02";
    append_number(directory, 20, 2);
    common(directory, entry.central_size);
    append_number(directory, 0, 2);  // comment
    append_number(directory, 0, 2);  // disk
    append_number(directory, 0, 2);
    append_number(directory, 0, 4);
    append_number(directory, offset, 4);
    directory += entry.name;
  }
  const std::size_t start = out.size();
  out += directory + "PK\x05\x06";
  append_number(out, 0, 4);
  append_number(out, entries.size(), 2);
  append_number(out, entries.size(), 2);
  append_number(out, directory.size(), 4);
  append_number(out, start, 4);
  append_number(out, 0, 2);
  return out;
}

}  // namespace shingled::testing
