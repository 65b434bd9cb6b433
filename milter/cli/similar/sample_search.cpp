#include <fmt/format.h>
#include <sysexits.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/similar/sample_client.h"
#include "milter/cli/similar/sample_commands.h"
#include "milter/process/interrupt.h"

namespace shingled::milter::cli {

namespace {

/// The samples that are similar to one piece.
using Answer = storage::similar::SampleScan::Answer;

/// Searches the library: by an index for many questions, else by reading it once.
class SampleSearch {
 public:
  SampleSearch(const SearchArguments& arguments, SampleClient& client, Console& console)
      : arguments_(arguments), client_(client), console_(console) {}

  /// The exit code for this one.
  int take(similar::SignedInput input) {
    if (!indexed_) {
      waiting_pieces_ += input.pieces.size();
      waiting_.push_back(std::move(input));
      return waiting_pieces_ <= kScannedMax ? EX_OK : go_on_with_index();
    }
    show(input, ask_index(input));
    return EX_OK;
  }

  /// Answers the remaining questions.
  int finish() {
    if (waiting_.empty()) return EX_OK;
    std::vector<storage::similar::SampleScan::Question> questions;
    for (const similar::SignedInput& input : waiting_) {
      for (const auto& piece : input.pieces) questions.push_back({piece.signature, piece.parts});
    }
    auto answers = client_.scan(questions, arguments_.top);
    if (!answers) return client_.failed(answers.error());
    auto next = answers->begin();
    for (const similar::SignedInput& input : waiting_) {
      const auto end = next + static_cast<std::ptrdiff_t>(input.pieces.size());
      show(input, {std::move_iterator(next), std::move_iterator(end)});
      next = end;
    }
    return EX_OK;
  }

 private:
  // With more questions an index is quicker: with 100 000 signatures a scan takes 90 ms for one
  // piece and 8 ms for each further one, a run with an index 350 ms.
  static constexpr std::size_t kScannedMax = 32;

  int go_on_with_index() {
    const std::vector<similar::SignedInput> inputs = std::exchange(waiting_, {});
    if (const int code = client_.make_index(); code != EX_OK) return code;
    indexed_ = true;
    for (const similar::SignedInput& input : inputs) show(input, ask_index(input));
    return EX_OK;
  }

  [[nodiscard]] std::vector<Answer> ask_index(const similar::SignedInput& input) const {
    std::vector<Answer> out;
    for (const similar::SignedInput::Piece& piece : input.pieces) {
      out.push_back({client_.library().similar(piece.signature, arguments_.top),
                     client_.library().sharing(piece.parts, arguments_.top)});
    }
    return out;
  }

  /// `answers`: one for each piece.
  void show(const similar::SignedInput& input, std::vector<Answer> answers) {
    for (const std::string& note : input.notes) console_.error(input.name, note);
    bool any = false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const similar::SignedInput::Piece& piece = input.pieces[i];
      auto& [similar, sharing] = answers[i];
      std::erase_if(similar, [&](const auto& one) { return one.score < arguments_.threshold; });
      std::erase_if(sharing, [&](const auto& one) { return one.shared < arguments_.shared; });
      const bool empty = similar.empty() && sharing.empty();
      if (arguments_.json) {
        show_json(input.name, piece, answers[i]);
      } else if (!empty) {
        show_text(input.name, piece, answers[i]);
      }
      any = any || !empty;
    }
    if (!any && !arguments_.json) console_.line(terminal_safe(input.name) + ": nothing similar");
  }

  void show_text(const std::string& file, const similar::SignedInput::Piece& piece,
                 const Answer& matches) {
    console_.line(terminal_safe(piece.path.empty() ? file : file + "!" + piece.path));
    std::vector<TableRow> rows;
    for (const auto& match : matches.similar) {
      rows.push_back({"similar", fmt::format("{} of 100", match.score), match.list,
                      terminal_safe(match.name), fmt::format("({})", match.id)});
    }
    for (const auto& match : matches.sharing) {
      rows.push_back({"shares", fmt::format("{} of {}", match.shared, match.asked), match.list,
                      terminal_safe(match.name), fmt::format("({})", match.id)});
    }
    print_table(rows, "  ", console_);
  }

  void show_json(const std::string& file, const similar::SignedInput::Piece& piece,
                 const Answer& matches) {
    Json similar = Json::array();
    for (const auto& match : matches.similar) {
      similar.push_back(
          {{"id", match.id}, {"list", match.list}, {"name", match.name}, {"score", match.score}});
    }
    Json parts = Json::array();
    for (const auto& match : matches.sharing) {
      parts.push_back({{"id", match.id},
                       {"list", match.list},
                       {"name", match.name},
                       {"shared", match.shared},
                       {"asked", match.asked}});
    }
    console_.json({{"file", file},
                   {"entry", piece.path.empty() ? Json(nullptr) : Json(piece.path)},
                   {"bytes", piece.bytes},
                   {"signature", piece.signature.text()},
                   {"similar", std::move(similar)},
                   {"parts", std::move(parts)}});
  }

  const SearchArguments& arguments_;
  SampleClient& client_;
  Console& console_;
  std::vector<similar::SignedInput> waiting_;
  std::size_t waiting_pieces_ = 0;
  bool indexed_ = false;
};

}  // namespace

int run_similar_search(const SearchArguments& arguments, Console& console) {
  SampleClient client(console);
  if (const int code = client.open(arguments.library, LibraryUse::kSearch); code != EX_OK) {
    return code;
  }
  SampleSearch search(arguments, client, console);
  const int code = similar::for_each_signed(
      arguments.input, signing_for(client.options(), arguments.raw), console,
      [&](similar::SignedInput input) { return search.take(std::move(input)); });
  if (process::interrupted() || console.broken()) return code;
  return worse_exit_code(code, search.finish());
}

}  // namespace shingled::milter::cli
