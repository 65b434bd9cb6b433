#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/similar/files/signed_loop.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::cli {

// The commands on the library of known files. Each returns its exit code.

/// Which library: of the settings, or another file.
struct LibraryChoice {
  std::shared_ptr<SettingsArguments> settings = std::make_shared<SettingsArguments>();
  std::string file;  ///< empty = similar.file

  void add_to(CLI::App& command);
};

struct AddArguments {
  LibraryChoice library;
  similar::InputArguments input;
  std::string list;
  std::string name;  ///< of the one sample; empty = that of its file
  bool raw = false;  ///< containers are signed as the bytes they are
  bool dry_run = false;
  bool json = false;
};

/// Adds files, or the rows of lists of signatures. Some hundred are stored in one transaction and
/// printed after it; after Ctrl-C all signed files are kept.
int run_similar_add(const AddArguments& arguments, Console& console);

struct SearchArguments {
  LibraryChoice library;
  similar::InputArguments input;
  std::size_t top = 10;
  int threshold = 1;    ///< of the similarity
  unsigned shared = 4;  ///< n-grams, of parts
  bool raw = false;
  bool json = false;
};

/// Prints the most similar samples for each file and for each file in a container.
int run_similar_search(const SearchArguments& arguments, Console& console);

struct SampleListArguments {
  LibraryChoice library;
  std::string list;
  std::uint64_t limit = 100;  ///< 0 = all
  bool csv = false;
  bool json = false;
};

int run_similar_list(const SampleListArguments& arguments, Console& console);

struct SampleDelArguments {
  LibraryChoice library;
  similar::InputArguments input;  ///< files whose signature goes
  std::string list;
  std::vector<std::string> names;
  std::vector<std::uint64_t> ids;
  bool raw = false;
  bool dry_run = false;
  bool json = false;
};

/// Deletes the samples that meet all conditions. EX_NOINPUT if there are none.
int run_similar_del(const SampleDelArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
