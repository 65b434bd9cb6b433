#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/document/places.h"

namespace shingled::config {

struct YamlNode;

/// What one load finds out besides the settings: every problem, which keys the loader knows, and
/// where they are in the text.
/// Threads: one thread.
class Diagnostics {
 public:
  /// A hostile file could make each of its bytes a problem; above this they are only counted.
  static constexpr std::size_t kProblemsMax = 200;

  explicit Diagnostics(std::string_view file_name) : file_name_(file_name), places_(file_name) {}

  /// Escapes all bytes of `key` and `what` that are not printable ASCII.
  void add(const Position& position, std::string_view key, std::string_view what) {
    add(position, key, what, Problem::Severity::kError);
  }
  void warn(const Position& position, std::string_view key, std::string_view what) {
    add(position, key, what, Problem::Severity::kWarning);
  }
  /// Adds all problems of another file.
  void include(const Diagnostics& other);
  [[nodiscard]] const std::string& file_name() const { return file_name_; }
  [[nodiscard]] bool full() const { return found_.size() + included_.size() >= kProblemsMax; }
  /// Whether there is no error; warnings do not count.
  [[nodiscard]] bool empty() const { return errors_ == 0; }

  /// Remembers that the loader asked for the value of `key` ("storage.expire").
  void ask(std::string key) { asked_.insert(std::move(key)); }
  [[nodiscard]] const std::set<std::string>& asked() const { return asked_; }
  /// Remembers the value that the text gives a key, and its place.
  void give(const std::string& key, const YamlNode& value, const Position& position) {
    given_.try_emplace(key, &value);
    places_.put(key, position);
  }
  /// The values that are given; they belong to the tree of the text.
  [[nodiscard]] const std::map<std::string, const YamlNode*>& given() const { return given_; }
  /// Remembers that `other` was given in place of `key`.
  void stand_in(std::string key, std::string other) {
    stand_ins_.emplace(std::move(key), std::move(other));
  }
  [[nodiscard]] const std::map<std::string, std::string>& stand_ins() const { return stand_ins_; }
  /// Where each key was found; the loader fills it.
  [[nodiscard]] Places& places() { return places_; }

  /// All problems and warnings in the order of the text, those of overrides after them, those of
  /// other files last.
  [[nodiscard]] std::vector<Problem> problems() const;

 private:
  struct Found {
    Position position;
    std::string key;
    std::string what;
    Problem::Severity severity;
  };
  void add(const Position& position, std::string_view key, std::string_view what,
           Problem::Severity severity);

  std::string file_name_;
  std::vector<Found> found_;
  std::vector<Problem> included_;
  std::size_t errors_ = 0;
  std::size_t dropped_ = 0;
  std::set<std::string> asked_;
  std::map<std::string, const YamlNode*> given_;
  std::map<std::string, std::string> stand_ins_;
  Places places_;
};

/// Text from a configuration as a problem may quote it: in single quotes, bytes that are not
/// printable ASCII as \xNN, cut after 64 bytes.
std::string in_quotes(std::string_view text);

}  // namespace shingled::config
