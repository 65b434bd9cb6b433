#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/options/similar_options.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::milter::similar {

/// A file that was signed, or a row of a list of signatures.
struct SignedInput {
  struct Piece {
    std::string path;  ///< "" = the whole; else the entry of the container that it is
    std::uint64_t bytes = 0;
    fingerprint::Spamsum signature;
    std::string parts;  ///< the free form, where it is wanted
  };
  std::string name;
  bool listed = false;             ///< a row of a list: there is a signature, and nothing else
  std::vector<Piece> pieces;       ///< the whole first
  std::vector<std::string> notes;  ///< what of a container was left out, and why
};

/// How to sign the files.
struct SigningOptions {
  bool lists = false;  ///< an argument that is a list of signatures stands for its rows
  bool open_containers = false;
  bool parts = false;      ///< the free form, too
  SimilarOptions similar;  ///< its block size and bounds
};

}  // namespace shingled::milter::similar
