#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shingled {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// One `event key=value ...` line. Values are made safe here, so that mail and peers cannot forge
/// a line: control bytes, quotes, backslashes and bytes above 0x7e become `\xNN`, a value with
/// spaces is quoted, and each is cut after kLogValueBytesMax bytes.
class LogLine {
 public:
  static constexpr std::size_t kLogValueBytesMax = 512;

  explicit LogLine(std::string_view event) : text_(event) {}

  LogLine& field(std::string_view key, std::string_view value);
  LogLine& field(std::string_view key, const char* value) {
    return field(key, std::string_view(value));
  }
  LogLine& field(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  LogLine& field(std::string_view key, std::integral auto value) {
    return raw(key, std::to_string(value));
  }
  /// Fixed point with `digits` after the point.
  LogLine& field(std::string_view key, double value, int digits);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Whether the value of the field with this place, the first is 0, is a number or a truth value;
  /// false from kBareMax on.
  [[nodiscard]] bool is_bare(std::size_t place) const {
    return place < kBareMax && (bare_ >> place & 1U) != 0;
  }

 private:
  static constexpr std::size_t kBareMax = 64;

  LogLine& raw(std::string_view key, std::string_view value);
  LogLine& append(std::string_view key, std::string_view value);
  std::string text_;
  std::uint64_t bare_ = 0;  ///< a bit for each field
  std::size_t fields_ = 0;
};

/// Where lines go. Levels: error = a person must act, warning, info, debug.
/// Threads: any thread.
/// Errors: none; a line that cannot be written is lost.
class Logger {
 public:
  virtual ~Logger() = default;
  virtual void write(LogLevel level, std::string_view line) = 0;
  /// The same with the kinds of its values, for who does not write text.
  virtual void write_line(LogLevel level, const LogLine& line) { write(level, line.text()); }
  [[nodiscard]] virtual bool enabled(LogLevel level) const = 0;

  void debug(const LogLine& line) { write_line(LogLevel::kDebug, line); }
  void info(const LogLine& line) { write_line(LogLevel::kInfo, line); }
  void warning(const LogLine& line) { write_line(LogLevel::kWarning, line); }
  void error(const LogLine& line) { write_line(LogLevel::kError, line); }
};

/// Drops everything: for tools and tests.
class NullLogger final : public Logger {
 public:
  void write(LogLevel, std::string_view) override {}
  [[nodiscard]] bool enabled(LogLevel) const override { return false; }
};

}  // namespace shingled
