#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "milter/features/feature.h"
#include "milter/names/name_entry.h"
#include "mime/fingerprint/secret_hash.h"

namespace shingled::milter::names {

// Bounds of a list.
inline constexpr std::size_t kListEntriesMax = 1'000'000;
inline constexpr std::size_t kListBytesMax = std::size_t{64} << 20U;

/// What the lines of a list are about.
struct ListForm {
  enum class Kind : std::uint8_t {
    kAllow,  ///< each line has the word of its name; only names that prove something
    kBlock,  ///< each line has the word of its name
    kOne,    ///< of a condition `NAME in FILE`: lines of that name, with or without its word
  };
  Kind kind = Kind::kOne;
  Name name{};  ///< of kOne
  friend auto operator<=>(const ListForm&, const ListForm&) = default;
};

/// The names of the lines that a list of that form may have, the first word of each. Of kOne: the
/// one.
std::vector<Name> names_of(const ListForm& form);

/// A line of a list, taken apart.
struct ListLine {
  std::optional<Name> name;  ///< its first word is the word of a name
  std::string_view entry;    ///< what is compared; empty: a comment or an empty line
  std::string_view remark;   ///< after the '#'
};

/// Pure; never fails: what is wrong shows when the entry is read.
ListLine split_line(std::string_view line, const ListForm& form);

/// Something wrong with a line. The rest of the list is in force.
struct ListProblem {
  std::size_t line = 0;  ///< from 1; 0 = the whole list
  std::string what;
  friend bool operator==(const ListProblem&, const ListProblem&) = default;
};
inline constexpr std::size_t kListProblemsMax = 20;  ///< that are kept

/// An entry that a value meets.
struct NameMatch {
  std::string value;  ///< of the message
  std::string entry;  ///< as it is compared: ".shop.example"
  std::size_t line = 0;
  std::string remark;  ///< of its line
};

/// Entries, looked up by value: a table of texts with a secret hash, and one of networks by their
/// length. An immutable value.
/// Threads: any.
/// Cost:    a look-up a label of the value's domain, or a length of networks that is there; it does
///          not grow with the entries. About 150 bytes of memory an entry.
class NameList {
 public:
  NameList() = default;
  /// Reads a list, one entry per line: `[NAME] ENTRY [# remark]`.
  explicit NameList(std::string_view text, const ListForm& form);
  /// Of entries in a condition.
  static NameList of(const NameRow& row, const std::vector<NameEntry>& entries);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<ListProblem>& problems() const { return problems_; }
  [[nodiscard]] std::size_t problem_count() const { return problem_count_; }

  /// The first entry of lines of `name` that the value meets; the more exact comes first.
  [[nodiscard]] std::optional<NameMatch> find(Name name, const std::string& value) const;

 private:
  struct Place {
    std::uint32_t line = 0;
    std::uint32_t remark = 0;  ///< begins there in remarks_
    std::uint16_t remark_bytes = 0;
  };
  /// Name, length, then the first bytes of the network.
  using Texts = std::unordered_map<std::string, Place, TextHash, std::equal_to<>>;

  void add(Name name, const NameEntry& entry, std::size_t line, std::string_view remark);
  void add_line(std::string_view text, std::size_t line, const ListForm& form);
  void problem(std::size_t line, std::string what);
  [[nodiscard]] std::optional<NameMatch> match(std::string_view key,
                                               const std::string& value) const;
  [[nodiscard]] std::optional<NameMatch> find_domain(Name name, std::string_view domain,
                                                     const std::string& value, bool exact) const;
  [[nodiscard]] std::optional<NameMatch> find_address(Name name, const std::string& value) const;
  [[nodiscard]] std::optional<NameMatch> find_network(Name name, const std::string& value) const;

  Texts texts_;  ///< networks, too; the first byte of a key is the name
  std::string remarks_;
  std::vector<std::uint8_t> bits_;  ///< lengths of networks that are there, the longest first
  std::size_t size_ = 0;
  std::vector<ListProblem> problems_;
  std::size_t problem_count_ = 0;
};

/// The names that lines of an allow list may have. What anybody can write proves nothing.
bool is_allow_name(Name name);
bool is_block_name(Name name);

/// Whether a message's values of a name are on a list.
struct Found {
  enum class Answer : std::uint8_t { kNo, kUnknown, kYes };
  Answer answer = Answer::kUnknown;
  std::optional<NameMatch> match = {};  ///< of kYes
};

/// One value that is on the list is enough. Nothing is on an empty list, whatever the values are;
/// else a name that is unknown gives kUnknown, and one that is absent kNo. `as`: the name of the
/// lines that count.
/// Threads: stateless.
Found look_up(const NameList& list, Name as, const features::MessageNames& names, Name name);

}  // namespace shingled::milter::names
