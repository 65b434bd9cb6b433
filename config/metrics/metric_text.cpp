#include "config/metrics/metric_text.h"

#include <cmath>

#include "config/base/ascii.h"
#include "config/base/hex.h"
#include "config/base/number_text.h"

namespace shingled {

namespace {

constexpr std::string_view kCounterSuffix = "_total";

std::string safe_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool digit = ascii::is_digit(c);
    if (digit && out.empty()) out += '_';
    out += ascii::is_alnum(c) ? c : '_';
  }
  return out.empty() ? "_" : out;
}

/// `quotes`: a quote is escaped, too.
void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || (c == '"' && quotes)) {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte > 0x7e) {
      out += "\\\\x";  // a backslash is escaped itself
      append_hex(out, byte);
    } else {
      out += c;
    }
  }
}

std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(std::int64_t value) { return std::to_string(value); }
/// The shortest text that reads as the same number; whole numbers as "1.0".
std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::string text = shortest_text(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Writes the samples of one family.
class SampleWriter {
 public:
  SampleWriter(std::string& out, std::string name) : out_(out), name_(std::move(name)) {}

  void write(const MetricFamily& family, const MetricSample& sample) {
    const std::string_view suffix =
        family.kind == MetricFamily::Kind::kCounter ? kCounterSuffix : "";
    const auto plain = [&](auto value) { line(suffix, sample.labels, "", text_of(value)); };
    if (const auto* whole = std::get_if<std::uint64_t>(&sample.value)) plain(*whole);
    if (const auto* level = std::get_if<std::int64_t>(&sample.value)) plain(*level);
    if (const auto* real = std::get_if<double>(&sample.value)) plain(*real);
    if (const auto* reading = std::get_if<HistogramReading>(&sample.value)) {
      histogram(*reading, sample.labels);
    }
  }

 private:
  void histogram(const HistogramReading& reading, const MetricLabels& labels) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < reading.counts.size(); ++i) {
      seen += reading.counts[i];
      const bool last = i == reading.shape.bounds.size();
      line("_bucket", labels,
           last ? "+Inf" : text_of(reading.shape.in_unit(reading.shape.bounds[i])), text_of(seen));
    }
    line("_sum", labels, "", text_of(reading.shape.in_unit(reading.sum)));
    line("_count", labels, "", text_of(seen));
  }

  void line(std::string_view suffix, const MetricLabels& labels, std::string_view bound,
            const std::string& value) {
    out_.append(name_).append(suffix);
    char mark = '{';
    const auto label = [&](std::string_view key, std::string_view text) {
      out_ += mark;
      out_.append(key).append("=\"");
      append_escaped(out_, text, true);
      out_ += '"';
      mark = ',';
    };
    for (const auto& [key, text] : labels) label(safe_name(key), text);
    if (!bound.empty()) label("le", bound);
    if (mark == ',') out_ += '}';
    out_.append(" ").append(value).append("\n");
  }

  std::string& out_;
  const std::string name_;
};

std::string_view to_string(MetricFamily::Kind kind) {
  switch (kind) {
    case MetricFamily::Kind::kCounter:
      return "counter";
    case MetricFamily::Kind::kGauge:
      return "gauge";
    case MetricFamily::Kind::kHistogram:
      return "histogram";
  }
  return "unknown";
}

}  // namespace

MetricFormat metric_format(std::string_view accept) {
  return accept.find("application/openmetrics-text") == std::string_view::npos
             ? MetricFormat::kPrometheus
             : MetricFormat::kOpenMetrics;
}

std::string_view content_type(MetricFormat format) {
  return format == MetricFormat::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string metric_text(const MetricReport& report, MetricFormat format) {
  const bool open = format == MetricFormat::kOpenMetrics;
  std::string out;
  for (const MetricFamily& family : report.families()) {
    const std::string name = safe_name(family.name);
    // A counter has its suffix in the name of the family, or only in that of its samples.
    const bool suffixed = !open && family.kind == MetricFamily::Kind::kCounter;
    const std::string title = suffixed ? name + std::string(kCounterSuffix) : name;
    out.append("# TYPE ").append(title).append(" ").append(to_string(family.kind)).append("\n");
    for (const std::string_view unit : {"seconds", "bytes"}) {
      if (!open || !name.ends_with(std::string("_").append(unit))) continue;
      out.append("# UNIT ").append(name).append(" ").append(unit).append("\n");
    }
    out.append("# HELP ").append(title).append(" ");
    append_escaped(out, family.help, open);
    out += '\n';
    SampleWriter writer(out, name);
    for (const MetricSample& sample : family.samples) writer.write(family, sample);
  }
  return open ? out + "# EOF\n" : out;
}

}  // namespace shingled
