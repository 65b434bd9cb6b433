// Containers: decompression bombs, containers in containers, wrong directories. They are opened if
// known files are looked up.
#include <archive.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"
#include "tests/mime/container/archive_builder.h"

namespace shingled::hostile {

namespace {

using testing::PackedFile;
using testing::RawZipEntry;

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
constexpr std::size_t kBytesOfBase64 = 4;  ///< characters of base64 for kBytesDecoded bytes
constexpr std::size_t kBytesDecoded = 3;

std::size_t decoded_size(std::size_t bytes) { return bytes * kBytesDecoded / kBytesOfBase64; }

std::string attach(std::string_view type, std::string_view file) {
  return attached(type) + base64(file);
}

/// The time in the gzip header is set to 0, so that the message is always the same.
std::string gzip(const std::string& bytes) {
  constexpr std::size_t kTimeAt = 4;
  std::string out = testing::compress(ARCHIVE_FILTER_GZIP, bytes);
  out.replace(kTimeAt, 4, 4, '\0');
  return out;
}

/// As many small attachments as there is room for, all different.
template <typename Make>
std::string many(std::string_view type, std::size_t bytes, Make make) {
  std::string out = mixed();
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    out += "--b\nContent-Type: ";
    out.append(type) += "\nContent-Transfer-Encoding: base64\n\n" + base64(make(i));
  }
  return out;
}

/// A zip with one stored (not compressed) file.
std::string stored_zip(std::string name, std::string bytes) {
  std::vector<RawZipEntry> entries;
  entries.push_back(testing::honest(std::move(name), std::move(bytes)));
  return testing::raw_zip(entries);
}

std::string many_entries(std::size_t bytes) {
  constexpr std::size_t kBytesOfEntry = 90;
  std::vector<RawZipEntry> entries;
  for (std::size_t i = 0; i < bytes / kBytesOfEntry; ++i) {
    entries.push_back(testing::honest(std::to_string(i), "x"));
  }
  return testing::raw_zip(entries);
}

/// Every entry of the directory is the same large file.
std::string overlapping(std::size_t bytes) {
  std::vector<RawZipEntry> entries{testing::honest("0", noise(bytes * 9 / 10))};
  for (std::size_t i = 1; i < 900 && i * 60 < bytes / 10; ++i) {
    RawZipEntry again = entries.front();
    again.name = std::to_string(i);
    again.bytes.clear();
    again.offset = 0;
    entries.push_back(again);
  }
  return testing::raw_zip(entries);
}

std::string boxes(std::size_t levels, std::string inner) {
  for (std::size_t i = 0; i < levels; ++i) inner = stored_zip("a.zip", std::move(inner));
  return inner;
}

std::string zeros(std::size_t bytes) { return std::string(bytes, '\0'); }

/// The unpacked size of a bomb in a message of `bytes`; limited, to make the bomb quickly.
std::size_t bomb_bytes(std::size_t bytes) { return std::min(bytes * 50, 64 * kMegabyte); }

HostileKind bomb(std::string name, std::string type, int filter) {
  return {"container-bomb-" + std::move(name), "unpacks to a thousand times its bytes",
          [type, filter](std::size_t bytes) {
            std::string packed = testing::compress(filter, zeros(bomb_bytes(bytes)));
            if (filter == ARCHIVE_FILTER_GZIP) packed.replace(4, 4, 4, '\0');
            return repeat(mixed(),
                          "--b\nContent-Type: " + type + "\nContent-Transfer-Encoding: base64\n\n" +
                              base64(packed),
                          bytes);
          }};
}

}  // namespace

std::vector<HostileKind> container_kinds() {
  return {
      bomb("gzip", "application/gzip", ARCHIVE_FILTER_GZIP),
      bomb("bzip2", "application/x-bzip2", ARCHIVE_FILTER_BZIP2),
      bomb("xz", "application/x-xz", ARCHIVE_FILTER_XZ),
      bomb("zstd", "application/zstd", ARCHIVE_FILTER_ZSTD),
      {"container-bomb-zip", "zips that unpack to a thousand times their bytes",
       [](std::size_t bytes) {
         const std::string zip = testing::zip({{"a", zeros(bomb_bytes(bytes) / 4)}});
         return repeat(mixed(),
                       "--b\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n" +
                           base64(zip),
                       bytes);
       }},
      {"container-zip-stored", "one large file in a zip",
       [](std::size_t bytes) {
         return attach("application/zip", stored_zip("a", noise(decoded_size(bytes))));
       }},
      {"container-zip-nested", "zips in zips, beyond the depth",
       [](std::size_t bytes) {
         return attach("application/zip", boxes(30, noise(decoded_size(bytes))));
       }},
      {"container-gzip-nested", "gzip in gzip in gzip",
       [](std::size_t bytes) {
         std::string inner = noise(decoded_size(bytes));
         for (int i = 0; i < 4; ++i) inner = gzip(inner);
         return attach("application/gzip", inner);
       }},
      {"container-zip-many-entries", "a zip of very many tiny files",
       [](std::size_t bytes) {
         return attach("application/zip", many_entries(decoded_size(bytes)));
       }},
      {"container-zip-overlapping", "a zip whose entries are all the same bytes",
       [](std::size_t bytes) {
         return attach("application/zip", overlapping(decoded_size(bytes)));
       }},
      {"container-zip-long-names", "a zip of names of 15 KB",
       [](std::size_t bytes) {
         std::vector<RawZipEntry> entries;
         for (std::size_t i = 0; i * 30'000 < decoded_size(bytes); ++i) {
           entries.push_back(testing::honest(std::string(15'000, 'n') + std::to_string(i), "x"));
         }
         return attach("application/zip", testing::raw_zip(entries));
       }},
      {"container-zip-encrypted", "a zip that claims to be encrypted",
       [](std::size_t bytes) {
         RawZipEntry entry = testing::honest("a", noise(decoded_size(bytes)));
         entry.flags = 1;
         return attach("application/zip", testing::raw_zip({entry}));
       }},
      {"container-zip-cut", "a zip without its directory",
       [](std::size_t bytes) {
         const std::string zip = many_entries(decoded_size(bytes) * 2);
         return attach("application/zip", std::string_view(zip).substr(0, decoded_size(bytes)));
       }},
      {"container-zip-marks", "only signatures of directory entries",
       [](std::size_t bytes) {
         return attach("application/zip", repeat("PK\x03\x04", "PK\x01\x02", decoded_size(bytes)));
       }},
      {"container-zip-wrong-sizes", "a zip with wrong sizes",
       [](std::size_t bytes) {
         RawZipEntry entry = testing::honest("a", noise(decoded_size(bytes)));
         entry.local_size = 10;
         entry.central_size = 0x7fffffff;
         return attach("application/zip", testing::raw_zip({entry}));
       }},
      {"container-zips", "thousands of tiny zips",
       [](std::size_t bytes) {
         return many("application/zip", bytes,
                     [](std::size_t i) { return stored_zip("a", std::to_string(i)); });
       }},
      {"container-gzips", "thousands of tiny gzips",
       [](std::size_t bytes) {
         return many("application/gzip", bytes,
                     [](std::size_t i) { return gzip(std::to_string(i)); });
       }},
      {"container-tar-many-entries", "a tar of very many tiny files",
       [](std::size_t bytes) {
         std::vector<PackedFile> files;
         for (std::size_t i = 0; i * 1024 < decoded_size(bytes); ++i) {
           files.push_back({std::to_string(i), "x"});
         }
         return attach("application/x-tar", testing::tar(files));
       }},
      {"container-tar-gzip", "a tar of one large file in gzip",
       [](std::size_t bytes) {
         return attach("application/gzip", gzip(testing::tar({{"a", noise(decoded_size(bytes))}})));
       }},
      {"container-office", "a document of many small sheets",
       [](std::size_t bytes) {
         std::vector<RawZipEntry> entries{testing::honest("[Content_Types].xml", "<Types/>")};
         for (std::size_t i = 0; i * 160 < decoded_size(bytes); ++i) {
           entries.push_back(testing::honest("xl/worksheets/sheet" + std::to_string(i) + ".xml",
                                             "<?xml?><!-- x --><s>" + std::to_string(i) + "</s>"));
         }
         return attach("application/vnd.openxmlformats", testing::raw_zip(entries));
       }},
      {"container-office-comments", "a sheet of comments before its root",
       [](std::size_t bytes) {
         std::vector<RawZipEntry> entries{
             testing::honest("[Content_Types].xml", "<Types/>"),
             testing::honest("xl/a.xml", repeat("<?xml?>", "<!--x--><?y?>", decoded_size(bytes)))};
         return attach("application/vnd.openxmlformats", testing::raw_zip(entries));
       }},
  };
}

}  // namespace shingled::hostile
