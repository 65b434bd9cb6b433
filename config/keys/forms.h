#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/number_text.h"
#include "config/document/section.h"
#include "config/system/socket_address.h"
#include "config/words/units.h"

namespace shingled::config {

// The forms that values of an option may have: what the manual calls them, their range, and how
// they are read and written. Each has
//
//     std::string type() const, range() const, none() const
//     void read(Section&, std::string_view key, Value& out) const    problems go to the section
//     std::string write(const Value&) const                          YAML on one line

inline constexpr std::uint64_t kKi = std::uint64_t{1} << 10;
inline constexpr std::uint64_t kMi = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGi = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kTi = std::uint64_t{1} << 40;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""h;

/// Texts as YAML on one line: `[a, b]`, with quotes where they are needed.
std::string flow_list(const std::vector<std::string>& words);
std::string flow_scalar(std::string_view text);
std::string flow_networks(const std::vector<Network>& networks);
/// HOST:PORT, [IPV6]:PORT, *:PORT or unix:/PATH.
std::string flow_sockets(const std::vector<SocketSpec>& sockets);

/// What forms without a range have.
struct AnyForm {
  static std::string range() { return ""; }
  static std::string none() { return "none"; }
};

struct Switch : AnyForm {
  static std::string type() { return "bool"; }
  static void read(Section& section, std::string_view key, bool& out) { section.boolean(key, out); }
  static std::string write(bool value) { return value ? "true" : "false"; }
};

struct Text : AnyForm {
  static std::string type() { return "text"; }
  static void read(Section& section, std::string_view key, std::string& out) {
    section.text(key, out);
  }
  static std::string write(const std::string& value) { return flow_scalar(value); }
};

/// A text that no command shows.
struct SecretText : Text {
  static std::string type() { return "secret"; }
};

/// An absolute path, or "" for none.
struct Path : AnyForm {
  static std::string type() { return "path"; }
  static void read(Section& section, std::string_view key, std::string& out) {
    section.path_or_empty(key, out);
  }
  static std::string write(const std::string& value) { return flow_scalar(value); }
};

/// An absolute path that must be there.
struct NeededPath : AnyForm {
  std::string_view of = "the absolute path of a folder";

  static std::string type() { return "path"; }
  void read(Section& section, std::string_view key, std::string& out) const {
    Section::absolute_path(section.field(key), of, out);
  }
  static std::string write(const std::string& value) { return flow_scalar(value); }
};

struct Number {
  std::uint64_t least;
  std::uint64_t most;

  static std::string type() { return "number"; }
  [[nodiscard]] std::string range() const {
    return std::to_string(least) + " to " + std::to_string(most);
  }
  static std::string none() { return "none"; }
  template <typename T>
  void read(Section& section, std::string_view key, T& out) const {
    section.number<T>(key, out, {static_cast<T>(least), static_cast<T>(most)});
  }
  static std::string write(std::uint64_t value) { return std::to_string(value); }
};

/// Bytes.
struct Size {
  std::uint64_t least;
  std::uint64_t most;

  static std::string type() { return "size"; }
  [[nodiscard]] std::string range() const {
    return format_size(least) + " to " + format_size(most);
  }
  static std::string none() { return "none"; }
  template <std::unsigned_integral T>
  void read(Section& section, std::string_view key, T& out) const {
    std::uint64_t bytes = out;
    section.size(key, bytes, {least, most});
    out = static_cast<T>(bytes);
  }
  static std::string write(std::uint64_t value) { return format_size(value); }
};

struct Real {
  static constexpr double kAny = std::numeric_limits<double>::max();
  double least = -kAny;
  double most = kAny;

  static std::string type() { return "real"; }
  [[nodiscard]] std::string range() const;
  static std::string none() { return "none"; }
  void read(Section& section, std::string_view key, double& out) const {
    section.real(key, out, {least, most});
  }
  static std::string write(double value) { return shortest_text(value); }
};

/// A duration. `zero`: what 0 means, if it is allowed besides the range.
struct Time {
  std::chrono::milliseconds least;
  std::chrono::milliseconds most;
  std::string_view zero = {};

  static std::string type() { return "duration"; }
  [[nodiscard]] std::string range() const {
    return format_duration(least) + " to " + format_duration(most);
  }
  static std::string none() { return "none"; }
  template <typename D>
  void read(Section& section, std::string_view key, D& out) const {
    section.duration<D>(key, out,
                        {std::chrono::duration_cast<D>(least), std::chrono::duration_cast<D>(most)},
                        zero);
  }
  static std::string write(std::chrono::milliseconds value) { return format_duration(value); }
};

/// One of some words. Of several for one value the first is written.
template <typename T, std::size_t N>
struct OneOf : AnyForm {
  std::array<Choice<T>, N> choices;

  explicit OneOf(const std::array<Choice<T>, N>& all) : choices(all) {}
  static std::string type() { return "choice"; }
  void read(Section& section, std::string_view key, T& out) const {
    section.choice<T>(key, out, choices);
  }
  [[nodiscard]] std::string write(const T& value) const {
    for (const Choice<T>& one : choices)
      if (one.value == value) return flow_scalar(one.name);
    return "";
  }
};

/// Networks without files.
struct Networks : AnyForm {
  static std::string type() { return "list of networks"; }
  static void read(Section& section, std::string_view key, std::vector<Network>& out) {
    section.networks(key, out);
  }
  static std::string write(const std::vector<Network>& value) { return flow_networks(value); }
};

/// Sockets of a service over UDP.
struct Sockets : AnyForm {
  std::uint16_t default_port;

  explicit Sockets(std::uint16_t port) : default_port(port) {}
  static std::string type() { return "list of sockets"; }
  void read(Section& section, std::string_view key, std::vector<SocketSpec>& out) const {
    section.sockets(key, out, default_port);
  }
  static std::string write(const std::vector<SocketSpec>& value) { return flow_sockets(value); }
};

/// A form of one option only: functions read and write it.
template <typename Value>
struct Typed {
  std::string_view word;  ///< the type
  void (*reader)(Section&, std::string_view key, Value&);
  std::string (*writer)(const Value&);
  std::string_view text_of_range = {};
  std::string_view word_for_none = "none";

  [[nodiscard]] std::string type() const { return std::string(word); }
  [[nodiscard]] std::string range() const { return std::string(text_of_range); }
  [[nodiscard]] std::string none() const { return std::string(word_for_none); }
  void read(Section& section, std::string_view key, Value& out) const { reader(section, key, out); }
  [[nodiscard]] std::string write(const Value& value) const { return writer(value); }
};

}  // namespace shingled::config
