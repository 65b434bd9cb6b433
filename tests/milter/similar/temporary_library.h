#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "milter/similar/sample_signer.h"
#include "storage/similar/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace shingled::testing {

/// A library in a folder of its own, filled like with `similar add`.
class TemporaryLibrary {
 public:
  [[nodiscard]] std::filesystem::path file() const { return folder_.file("similar.db"); }
  [[nodiscard]] std::shared_ptr<storage::similar::SampleLibrary> open() const {
    auto opened = storage::similar::SampleLibrary::open({.file = file()});
    if (!opened) throw std::runtime_error(opened.error().message);
    return *std::move(opened);
  }
  static void add(storage::similar::SampleLibrary& library, const std::string& list,
                  const std::string& name, std::string_view bytes) {
    const SystemClock clock;
    const auto signed_file = milter::similar::sign_pieces(bytes, {}, clock, TimePoint::max());
    const milter::similar::SignedPiece& whole = signed_file.pieces.at(0);
    storage::Sample sample;
    sample.list = list;
    sample.name = name;
    sample.bytes = whole.bytes;
    sample.signature = whole.signature;
    sample.parts = whole.parts;
    if (auto added = library.add(sample); !added) throw std::runtime_error(added.error().message);
  }

 private:
  TemporaryDirectory folder_;
};

/// Bytes without a pattern, the same for the same seed.
inline std::string noise(std::size_t bytes, unsigned seed) {
  std::string out;
  while (out.size() < bytes) {
    seed = seed * 1664525U + 1013904223U;
    out += static_cast<char>(seed >> 24U);
  }
  return out;
}

}  // namespace shingled::testing
