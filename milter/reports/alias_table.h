#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::milter::reports {

/// Which addresses are other names of a mailbox, from a file in the form of Postfix's `virtual` or
/// of `aliases`:
///
///     info@example.org     ann@example.org      # virtual
///     @old.example         @example.org         # a whole domain
///     info: ann                                 # aliases
///
/// Only an entry with one address says who somebody is. One with several addresses is a list of
/// people, and commands, files and `:include:` are not people: these are left out.
///
/// Threads: immutable once it is made.
class AliasTable {
 public:
  /// Names of a mailbox, one for another, at most; a longer chain is not followed.
  static constexpr std::size_t kHopsMax = 10;
  static constexpr std::size_t kEntriesMax = 1'000'000;

  AliasTable() = default;

  /// A line that cannot be read. The rest of the file counts.
  struct Mistake {
    std::size_t line = 0;  ///< from 1
    std::string what;
  };

  /// Reads a file. Names without a domain belong to `domain`, in the form of DNS; empty = to none.
  /// Entries beyond kEntriesMax are left out, with a mistake. Of two entries for a name the first
  /// one counts, as in Postfix.
  /// Errors:  none; `mistake` is the first one.
  /// Threads: stateless.
  /// Cost:    O(n log n), and about 60 bytes of memory for an entry.
  static AliasTable parse(std::string_view text, std::string_view domain,
                          std::optional<Mistake>& mistake);

  /// The mailbox that an address in its normal form (mime::normal_address) stands for; the address
  /// itself if no entry says more. Of addresses in a circle each stands for itself.
  [[nodiscard]] std::string mailbox_of(std::string_view address) const;

  /// The addresses that are by one entry other names of this mailbox, at most `most`.
  /// Cost: a look at each entry.
  [[nodiscard]] std::vector<std::string> names_of(std::string_view mailbox, std::size_t most) const;
  /// The addresses that entries name, without whole domains; some are there twice.
  [[nodiscard]] std::vector<std::string> targets() const;

  [[nodiscard]] std::size_t size() const { return places_.size(); }

 private:
  struct Entry {
    std::string_view name;
    std::string_view target;
  };
  /// The target of an entry; nullopt if there is none.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  /// What one entry makes of an address; nullopt if none is about it.
  [[nodiscard]] std::optional<std::string> step(std::string_view address) const;
  [[nodiscard]] Entry entry_at(std::uint32_t place) const;
  void add(std::string_view name, std::string_view target);
  void sort();

  std::string text_;                   ///< name, NUL, target, NUL for each entry
  std::vector<std::uint32_t> places_;  ///< of entries in the text, sorted by name
};

}  // namespace shingled::milter::reports
