#pragma once

#include <concepts>
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
  LogLine& field(std::string_view key, bool value) { return field(key, value ? "true" : "false"); }
  LogLine& field(std::string_view key, std::integral auto value) {
    return raw(key, std::to_string(value));
  }
  /// Fixed point with `digits` after the point.
  LogLine& field(std::string_view key, double value, int digits);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  LogLine& raw(std::string_view key, std::string_view value);
  std::string text_;
};

/// Where lines go. Levels: error = a person must act, warning, info, debug.
/// Threads: any thread.
/// Errors: none; a line that cannot be written is lost.
class Logger {
 public:
  virtual ~Logger() = default;
  virtual void write(LogLevel level, std::string_view line) = 0;
  [[nodiscard]] virtual bool enabled(LogLevel level) const = 0;

  void debug(const LogLine& line) { write(LogLevel::kDebug, line.text()); }
  void info(const LogLine& line) { write(LogLevel::kInfo, line.text()); }
  void warning(const LogLine& line) { write(LogLevel::kWarning, line.text()); }
  void error(const LogLine& line) { write(LogLevel::kError, line.text()); }
};

/// Drops everything: for tools and tests.
class NullLogger final : public Logger {
 public:
  void write(LogLevel, std::string_view) override {}
  [[nodiscard]] bool enabled(LogLevel) const override { return false; }
};

}  // namespace shingled
