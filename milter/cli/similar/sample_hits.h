#pragma once

#include <memory>

#include "config/options/settings.h"
#include "milter/cli/terminal/console.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::cli {

/// The library of known files for look-ups like the daemon's; null if the settings do not use it.
/// Errors: of SampleLibrary::open, naming the file.
/// Cost: reads the whole library.
Result<std::shared_ptr<const storage::similar::SampleLibrary>> open_samples(
    const SimilarOptions& options);

/// What the library said of a message: {"pieces", "containers", "notes", "hits": [{"part", "file",
/// "entry", "bytes", "list", "sample", "id", "similarity", "shared", "asked", "likeness", "symbol",
/// "weight", "score", "spared", "undo"}]}; null where it was not asked.
Json samples_json(const rules::Facts& facts, const rules::Verdict& verdict,
                  const SimilarOptions& options);

/// For people: under a heading, each hit as a table with the sample, its list, what is alike, what
/// that weighs and how to take the sample away again; then the notes. Nothing where it was not
/// asked.
void print_samples(const rules::Facts& facts, const rules::Verdict& verdict,
                   const SimilarOptions& options, Console& console);

}  // namespace shingled::milter::cli
