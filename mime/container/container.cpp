#include "mime/container/container.h"

#include <algorithm>
#include <utility>

#include "mime/container/archive_reader.h"

namespace shingled::mime {

namespace {

bool has_huge_directory(std::string_view zip) {
  constexpr std::string_view kDirectoryMark = "PK\x01\x02";
  std::size_t found = 0;
  for (std::size_t at = zip.find(kDirectoryMark); at != std::string_view::npos;
       at = zip.find(kDirectoryMark, at + kDirectoryMark.size())) {
    if (++found > kZipDirectoryMax) return true;
  }
  return false;
}

class Opener {
 public:
  Opener(std::string_view bytes, const ContainerOptions& options,
         const std::function<bool()>& out_of_time)
      : options_(options),
        out_of_time_(out_of_time),
        ratio_bytes_max_(
            std::max(kRatioBytesMin, options.ratio_max * std::uint64_t{bytes.size()})) {}

  OpenedContainer run(std::string_view bytes) {
    report_.root = open(bytes, 1);
    return std::move(report_);
  }

 private:
  Container open(std::string_view bytes, std::uint32_t depth) {
    Container container;
    container.kind = sniff_container(bytes);
    if (container.kind == ContainerKind::kNone) return container;
    if (depth > options_.depth_max) {
      note("depth limit reached");
      return container;
    }
    if (container.kind == ContainerKind::kZip && has_huge_directory(bytes)) {
      note("entry limit reached");
      return container;
    }
    ++report_.containers;
    container.whole = true;
    ArchiveReader reader(container.kind, bytes);
    for (auto step = next(reader); step != ArchiveReader::Step::kEnd; step = next(reader)) {
      if (step == ArchiveReader::Step::kFatal) {
        container.whole = false;
        break;
      }
      add_entry(container, reader, depth);
    }
    return container;
  }

  /// kFatal also when a limit stops everything.
  ArchiveReader::Step next(ArchiveReader& reader) {
    if (stopped_ || is_out_of_time()) return ArchiveReader::Step::kFatal;
    const auto step = reader.next();
    if (step == ArchiveReader::Step::kFatal) note("broken container");
    if (step != ArchiveReader::Step::kMore) return step;
    if (report_.entries >= options_.entries_max) return stop("entry limit reached");
    ++report_.entries;
    return step;
  }

  void add_entry(Container& container, ArchiveReader& reader, std::uint32_t depth) {
    ContainerEntry entry;
    const auto end = read(reader, entry.bytes);
    if (end != ArchiveReader::Step::kEnd) container.whole = false;
    if (end == ArchiveReader::Step::kEncrypted) note("an entry is encrypted");
    if (end == ArchiveReader::Step::kBroken) note("an entry cannot be read");
    if (stopped_ || !reader.is_file() || entry.bytes.empty()) return;
    entry.name = reader.name();
    entry.inside = open(entry.bytes, depth + 1);
    container.entries.push_back(std::move(entry));
  }

  ArchiveReader::Step read(ArchiveReader& reader, std::string& bytes) {
    auto step = ArchiveReader::Step::kMore;
    while (step == ArchiveReader::Step::kMore) {
      if (is_out_of_time()) return ArchiveReader::Step::kFatal;
      std::string_view block;
      step = reader.read(block);
      report_.bytes += block.size();
      if (report_.bytes > options_.unpacked_max) return stop("size limit reached");
      if (report_.bytes > ratio_bytes_max_) return stop("ratio limit reached");
      bytes.append(block);
    }
    return step;
  }

  bool is_out_of_time() {
    if (!out_of_time_()) return false;
    stop("time limit reached");
    return true;
  }
  ArchiveReader::Step stop(std::string_view why) {
    note(why);
    stopped_ = true;
    return ArchiveReader::Step::kFatal;
  }
  void note(std::string_view phrase) {
    auto& notes = report_.notes;
    if (std::find(notes.begin(), notes.end(), phrase) == notes.end()) notes.emplace_back(phrase);
  }

  const ContainerOptions& options_;
  const std::function<bool()>& out_of_time_;
  const std::uint64_t ratio_bytes_max_;
  bool stopped_ = false;  ///< by a limit: nothing more is read
  OpenedContainer report_;
};

}  // namespace

OpenedContainer open_container(std::string_view bytes, const ContainerOptions& options,
                               const std::function<bool()>& out_of_time) {
  return Opener(bytes, options, out_of_time).run(bytes);
}

}  // namespace shingled::mime
