#include "milter/history/row_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>

namespace shingled::milter::history {

namespace {

using features::Feature;
using features::Sums;
using rules::Evidence;
using storage::counters::kMeasures;
using storage::counters::kSaidMeasures;
using storage::counters::Measure;
using storage::counters::Period;
using storage::counters::Window;

/// The number of a feature in files: its place here. A number never changes and is never used
/// again; new features come at the end.
constexpr auto kFeatureNumbers = std::to_array<Feature>(
    {Feature::kBytes, Feature::kParts, Feature::kRecipients, Feature::kLinks, Feature::kAttachments,
     Feature::kImages, Feature::kWords, Feature::kLanguage, Feature::kHtml, Feature::kLocal,
     Feature::kAuthenticated, Feature::kBounce, Feature::kDefects, Feature::kSpf, Feature::kDkim,
     Feature::kDmarc, Feature::kHour});
static_assert(kFeatureNumbers.size() == features::kFeatures, "each feature has a number");

constexpr std::uint64_t kFeaturesMax = 128;
constexpr unsigned kFailed = 1;
constexpr unsigned kUnseen = 2;
constexpr unsigned kIncomplete = 4;
constexpr unsigned kDryRun = 8;
constexpr unsigned kLeftOut = 16;
constexpr unsigned kSaidKnown = 32;
constexpr unsigned kFlags = 64;
constexpr unsigned kPlaced = 8;  ///< of evidence: its place follows

// How the sums of a window are written, in two bits.
constexpr unsigned kZero = 0;
constexpr unsigned kAsBefore = 1;  ///< as those of the window before
constexpr unsigned kGiven = 2;
constexpr unsigned kSaid = 3;  ///< given, and then what people said

constexpr unsigned kVarintBits = 7;
constexpr std::uint8_t kVarintMore = 0x80;

class RecordWriter {
 public:
  Bytes take() { return std::move(out_); }

  void byte(unsigned value) { out_.push_back(static_cast<std::uint8_t>(value)); }
  void varint(std::uint64_t value) {
    for (; value >= kVarintMore; value >>= kVarintBits)
      out_.push_back(static_cast<std::uint8_t>(value) | kVarintMore);
    out_.push_back(static_cast<std::uint8_t>(value));
  }
  void fixed(std::uint32_t value) { append_number(out_, value); }
  void score(double value) {
    append_number(out_, std::bit_cast<std::uint64_t>(std::isfinite(value) ? value : 0.0));
  }
  void text(std::string_view text) {
    text = text.substr(0, kWordBytesMax);
    varint(text.size());
    out_.insert(out_.end(), text.begin(), text.end());
  }

  void features(const FeatureValues& values) {
    std::size_t known = 0;
    for (const Feature feature : kFeatureNumbers) known += values.is_known(feature) ? 1U : 0U;
    varint(known);
    for (std::size_t i = 0; i < kFeatureNumbers.size(); ++i) {
      const Feature feature = kFeatureNumbers[i];
      if (!values.is_known(feature)) continue;
      const bool word = row_of(feature).type == features::FeatureRow::Type::kWord;
      varint(i << 1U | (word ? 1U : 0U));
      if (word) {
        text(values.word(feature));
      } else {
        varint(values.number(feature));
      }
    }
  }

  void windows(std::span<const Window> windows) {
    varint(windows.size());
    for (const Window& window : windows) {
      varint(std::uint64_t{window.count} << 1U | (window.unit == Period::Unit::kDay ? 1U : 0U));
      varint(window.skipped);
    }
  }

  void sums(std::span<const Sums> windows, bool known) {
    std::array<std::uint8_t, (2 * kWindowsMax + 1 + 7) / 8> codes{};
    const std::size_t bytes = (2 * windows.size() + 1 + 7) / 8;
    codes[0] = known ? 1 : 0;
    const std::size_t begin = out_.size();
    out_.resize(begin + bytes);
    for (std::size_t i = 0; known && i < windows.size(); ++i) {
      unsigned code = kZero;
      if (!windows[i].is_zero()) {
        code = windows[i].said == decltype(windows[i].said){} ? kGiven : kSaid;
        if (i > 0 && windows[i] == windows[i - 1]) code = kAsBefore;
      }
      for (unsigned b = 0; b < 2; ++b) {
        const std::size_t at = 1 + 2 * i + b;
        codes[at / 8] |= static_cast<std::uint8_t>((code >> b & 1U) << (at % 8));
      }
      if (code >= kGiven) amounts(windows[i], 0, kMeasures);
      if (code == kSaid) amounts(windows[i], kMeasures, kSaidMeasures);
    }
    std::copy_n(codes.begin(), bytes, out_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

 private:
  void amounts(const Sums& sums, std::size_t first, std::size_t measures) {
    const auto count = [&](std::size_t i) { return sums.of(static_cast<Measure>(first + i)); };
    unsigned mask = 0;
    for (std::size_t i = 0; i < measures; ++i) mask |= count(i) != 0 ? 1U << i : 0U;
    byte(mask);
    for (std::size_t i = 0; i < measures; ++i) {
      if (count(i) != 0) varint(count(i));
    }
  }

  Bytes out_;
};

class RecordReader {
 public:
  explicit RecordReader(BytesView bytes) : reader_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_ && reader_.ok(); }
  [[nodiscard]] bool done() const { return ok_ && reader_.done(); }

  std::uint8_t byte() { return reader_.u8(); }
  std::uint32_t fixed() { return reader_.u32(); }
  std::uint64_t varint(std::uint64_t most = UINT64_MAX) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += kVarintBits) {
      const std::uint8_t next = reader_.u8();
      value |= std::uint64_t{next & (kVarintMore - 1U)} << shift;
      if (next < kVarintMore) {
        check(shift < 63 || next <= 1);
        check(value <= most);
        return ok() ? value : 0;
      }
    }
    check(false);
    return 0;
  }
  double score() {
    const double value = std::bit_cast<double>(reader_.u64());
    check(std::isfinite(value));
    return value;
  }
  std::string_view text() { return as_text(reader_.bytes(varint(kWordBytesMax))); }

  void features(FeatureValues& out) {
    out = {};
    const std::uint64_t known = varint(kFeaturesMax);
    for (std::uint64_t i = 0; i < known && ok(); ++i) {
      const std::uint64_t key = varint();
      const bool word = (key & 1U) != 0;
      const std::string_view read = word ? text() : std::string_view();
      const std::uint64_t number = word ? 0 : varint();
      if (key >> 1U < kFeatureNumbers.size()) set(out, kFeatureNumbers[key >> 1U], read, number);
    }
  }

  void windows(std::vector<Window>& out) {
    out.resize(varint(kWindowsMax));
    for (Window& window : out) {
      const std::uint64_t count = varint(std::uint64_t{UINT32_MAX} << 1U | 1U);
      window.unit = (count & 1U) != 0 ? Period::Unit::kDay : Period::Unit::kSlot;
      window.count = static_cast<std::uint32_t>(count >> 1U);
      window.skipped = static_cast<std::uint32_t>(varint(UINT32_MAX));
    }
  }

  /// `out`: one for each window. Returns whether they are known.
  bool sums(std::span<Sums> out) {
    const BytesView codes = reader_.bytes((2 * out.size() + 1 + 7) / 8);
    if (!ok()) return false;
    const auto bit = [&](std::size_t at) { return codes[at / 8] >> (at % 8) & 1U; };
    for (std::size_t i = 0; i < out.size(); ++i) {
      const unsigned code = bit(1 + 2 * i) | bit(2 + 2 * i) << 1U;
      if (code >= kGiven) {
        out[i] = Sums{};
        amounts(out[i], 0, kMeasures);
        if (code == kSaid) amounts(out[i], kMeasures, kSaidMeasures);
      } else if (code == kAsBefore && i > 0) {
        out[i] = out[i - 1];
      } else {
        check(code == kZero);
        out[i] = Sums{};
      }
    }
    return bit(0) != 0;
  }

  void check(bool holds) { ok_ = ok_ && holds; }

 private:
  void set(FeatureValues& out, Feature feature, std::string_view word, std::uint64_t number) {
    switch (row_of(feature).type) {
      case features::FeatureRow::Type::kWord:
        return out.set_word(feature, std::string(word));
      case features::FeatureRow::Type::kYesNo:
        return out.set_yes(feature, number != 0);
      case features::FeatureRow::Type::kNumber:
        return out.set_number(feature, number);
    }
  }

  void amounts(Sums& out, std::size_t first, std::size_t measures) {
    const unsigned mask = byte();
    for (std::size_t i = 0; i < measures; ++i)
      out.of(static_cast<Measure>(first + i)) =
          (mask >> i & 1U) != 0 ? varint(storage::counters::kCountMax) : 0;
  }

  ByteReader reader_;
  bool ok_ = true;
};

void read_pieces(RecordReader& reader, MessageRecord& out) {
  const std::size_t windows = out.windows.size();
  std::size_t count = 0;
  const std::uint64_t groups = reader.varint(kPiecesMax);
  for (std::uint64_t group = 0; group < groups && reader.ok(); ++group) {
    const auto type = static_cast<PieceType>(reader.byte());
    const std::uint64_t members = reader.varint(kPiecesMax - count);
    for (std::uint64_t i = 0; i < members && reader.ok(); ++i, ++count) {
      if (out.pieces.size() <= count) out.pieces.emplace_back();
      if (out.sums.size() < (count + 1) * windows) out.sums.resize((count + 1) * windows);
      PieceRecord& piece = out.pieces[count];
      piece.type = type;
      piece.shingle = reader.fixed();
      piece.known = reader.sums(std::span(out.sums).subspan(count * windows, windows));
    }
  }
  out.pieces.resize(count);
  out.sums.resize(count * windows);
}

void read_evidence(RecordReader& reader, MessageRecord& out) {
  const std::uint64_t count = reader.varint(kEvidenceMax);
  out.evidence.resize(reader.ok() ? count : 0);
  for (EvidenceRecord& evidence : out.evidence) {
    const unsigned flags = reader.byte();
    evidence.policy = (flags & 1U) != 0;
    const unsigned effect = (flags & ~kPlaced) >> 1U;
    reader.check(effect <= static_cast<unsigned>(Evidence::Effect::kTried));
    evidence.effect = static_cast<Evidence::Effect>(effect);
    evidence.symbol = reader.text();
    evidence.score = reader.score();
    evidence.place = (flags & kPlaced) != 0 ? reader.text() : std::string();
    if (!reader.ok()) return;
  }
}

}  // namespace

Bytes encode_record(const MessageRecord& record) {
  RecordWriter out;
  out.byte(kRowCodeVersion);
  const bool left_out = record.left_out || record.pieces.size() > kPiecesMax;
  out.byte((record.failed ? kFailed : 0) | (record.unseen ? kUnseen : 0) |
           (record.incomplete ? kIncomplete : 0) | (record.dry_run ? kDryRun : 0) |
           (left_out ? kLeftOut : 0) | (record.said_known ? kSaidKnown : 0));
  out.varint(record.recipients);
  out.score(record.score);
  out.features(record.features);
  const std::size_t given = record.windows.size();
  const std::size_t windows = std::min(given, kWindowsMax);
  out.windows(std::span(record.windows).first(windows));

  const auto pieces = std::span(record.pieces).first(std::min(record.pieces.size(), kPiecesMax));
  std::size_t groups = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    groups += i == 0 || pieces[i].type != pieces[i - 1].type ? 1U : 0U;
  out.varint(groups);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PieceType type = pieces[i].type;
    if (i == 0 || type != pieces[i - 1].type) {
      out.byte(static_cast<unsigned>(type));
      const auto end = std::find_if(pieces.begin() + static_cast<std::ptrdiff_t>(i), pieces.end(),
                                    [&](const PieceRecord& piece) { return piece.type != type; });
      out.varint(static_cast<std::uint64_t>(end - pieces.begin()) - i);
    }
    out.fixed(pieces[i].shingle);
    out.sums(std::span(record.sums).subspan(i * given, windows), pieces[i].known);
  }

  const std::size_t evidence = std::min(record.evidence.size(), kEvidenceMax);
  out.varint(evidence);
  for (const EvidenceRecord& item : std::span(record.evidence).first(evidence)) {
    out.byte(static_cast<unsigned>(item.effect) << 1U | (item.policy ? 1U : 0U) |
             (item.place.empty() ? 0U : kPlaced));
    out.text(item.symbol);
    out.score(item.score);
    if (!item.place.empty()) out.text(item.place);
  }
  return out.take();
}

std::optional<double> score_of(BytesView bytes) {
  RecordReader reader(bytes);
  const unsigned version = reader.byte();
  reader.check(version > 0 && version <= kRowCodeVersion);
  static_cast<void>(reader.byte());  // flags
  if (version > 1) static_cast<void>(reader.varint());
  const double score = reader.score();
  return reader.ok() ? std::optional(score) : std::nullopt;
}

Status decode_record(BytesView bytes, MessageRecord& out) {
  RecordReader reader(bytes);
  const unsigned version = reader.byte();
  if (reader.ok() && version > kRowCodeVersion)
    return Error{ErrorCode::kInvalid, "a row of a newer version"};
  reader.check(version > 0);
  const unsigned flags = reader.byte();
  reader.check(flags < (version > 1 ? kFlags : kSaidKnown));
  out.failed = (flags & kFailed) != 0;
  out.unseen = (flags & kUnseen) != 0;
  out.incomplete = (flags & kIncomplete) != 0;
  out.dry_run = (flags & kDryRun) != 0;
  out.left_out = (flags & kLeftOut) != 0;
  out.said_known = (flags & kSaidKnown) != 0;
  out.recipients = version > 1 ? reader.varint() : 0;
  out.score = reader.score();
  reader.features(out.features);
  reader.windows(out.windows);
  if (reader.ok()) read_pieces(reader, out);
  if (reader.ok()) read_evidence(reader, out);
  if (!reader.done()) return Error{ErrorCode::kCorrupt, "a broken row"};
  return {};
}

}  // namespace shingled::milter::history
