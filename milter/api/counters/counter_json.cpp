#include "milter/api/counters/counter_json.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace shingled::milter::api {

namespace {

using storage::counters::Amounts;
using storage::counters::Entry;
using storage::counters::kMeasures;
using storage::counters::Measure;
using storage::counters::Period;
using storage::counters::Window;

/// The names in these texts are ours, so nothing needs to be escaped.
void append_amounts(const Amounts& amounts, std::string& out) {
  for (std::size_t i = 0; i < kMeasures; ++i) {
    if (amounts.counts[i] == 0) continue;
    if (out.back() != '{') out += ',';
    out += '"';
    out += to_string(static_cast<Measure>(i));
    out += "\":";
    const fmt::format_int number(amounts.counts[i]);
    out.append(number.data(), number.size());
  }
}

/// Begins the object of a counter.
void append_counter(const RequestedPiece& piece, std::string& out) {
  if (out.back() != '[') out += ',';
  out += "{\"type\":\"";
  out += to_string(piece.key.type);
  fmt::format_to(std::back_inserter(out), "\",\"shingle\":\"{:016x}\",", piece.key.shingle);
}

}  // namespace

std::string shingle_text(std::uint64_t shingle) { return fmt::format("{:016x}", shingle); }

std::string answers_json(std::span<const RequestedPiece> pieces, std::span<const Window> windows,
                         const storage::counters::CounterAnswers& answers) {
  std::string out = "{\"windows\":[";
  for (const Window& window : windows) {
    if (out.back() != '[') out += ',';
    out += '"' + to_string(window) + '"';
  }
  out += "],\"counters\":[";
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    append_counter(pieces[k], out);
    out += answers.known[k] ? "\"known\":true,\"sums\":[" : "\"known\":false,\"sums\":[";
    bool any = false;
    for (std::size_t w = 0; w < windows.size(); ++w) any = any || answers.is_known(k, w);
    for (std::size_t w = 0; any && w < windows.size(); ++w) {
      if (w > 0) out += ',';
      if (!answers.is_known(k, w)) {
        out += "null";
        continue;
      }
      out += '{';
      append_amounts(answers.of(k, w), out);
      out += '}';
    }
    out += "]}";
  }
  out += "]}\n";
  return out;
}

std::string series_json(storage::counters::Slot now, std::span<const RequestedPiece> pieces,
                        std::span<const std::vector<Entry>> series) {
  std::string out = fmt::format("{{\"now\":{},\"counters\":[", now);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    append_counter(pieces[k], out);
    out += "\"entries\":[";
    for (const Entry& entry : series[k]) {
      if (out.back() != '[') out += ',';
      fmt::format_to(std::back_inserter(out), "{{\"unit\":\"{}\",\"number\":{}",
                     entry.period.unit == Period::Unit::kDay ? "1d" : "10m", entry.period.number);
      append_amounts(entry.amounts, out);
      out += '}';
    }
    out += "]}";
  }
  out += "]}\n";
  return out;
}

}  // namespace shingled::milter::api
