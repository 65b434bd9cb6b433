#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "milter/cli/sample_commands.h"
#include "milter/cli/sample_desk.h"

namespace shingled::milter {

namespace {

/// What the library has that is like one piece.
struct PieceMatches {
  std::vector<storage::SimilarMatch> similar;
  std::vector<storage::PartMatch> parts;
  [[nodiscard]] bool empty() const { return similar.empty() && parts.empty(); }
};

class SampleSearch {
 public:
  SampleSearch(const SearchArguments& arguments, SampleDesk& desk, Console& console)
      : arguments_(arguments), desk_(desk), console_(console) {}

  int take(const SignedInput& input) {
    for (const std::string& note : input.notes) console_.error(input.name, note);
    bool any = false;
    for (const SignedInput::Piece& piece : input.pieces) {
      const PieceMatches matches = find(piece);
      if (arguments_.json) {
        show_json(input.name, piece, matches);
      } else if (!matches.empty()) {
        show_text(input.name, piece, matches);
      }
      any = any || !matches.empty();
    }
    if (!any && !arguments_.json) console_.line(terminal_safe(input.name) + ": nothing is like it");
    return EX_OK;
  }

 private:
  [[nodiscard]] PieceMatches find(const SignedInput::Piece& piece) const {
    PieceMatches out;
    out.similar = desk_.library().similar(piece.signature, arguments_.top);
    std::erase_if(out.similar, [&](const auto& one) { return one.score < arguments_.threshold; });
    if (piece.parts.empty()) return out;
    out.parts = desk_.library().sharing(piece.parts, arguments_.top);
    std::erase_if(out.parts, [&](const auto& one) { return one.shared < arguments_.shared; });
    return out;
  }

  void show_text(const std::string& file, const SignedInput::Piece& piece,
                 const PieceMatches& matches) {
    console_.line(terminal_safe(piece.path.empty() ? file : file + "!" + piece.path));
    std::vector<TableRow> rows;
    for (const auto& match : matches.similar) {
      rows.push_back({"similar", fmt::format("{} of 100", match.score), match.list,
                      terminal_safe(match.name), fmt::format("({})", match.id)});
    }
    for (const auto& match : matches.parts) {
      rows.push_back({"shares", fmt::format("{} of {}", match.shared, match.asked), match.list,
                      terminal_safe(match.name), fmt::format("({})", match.id)});
    }
    for (const std::string& line : table_lines(rows, "  ")) console_.line(line);
  }

  void show_json(const std::string& file, const SignedInput::Piece& piece,
                 const PieceMatches& matches) {
    Json similar = Json::array();
    for (const auto& match : matches.similar) {
      similar.push_back(
          {{"id", match.id}, {"list", match.list}, {"name", match.name}, {"score", match.score}});
    }
    Json parts = Json::array();
    for (const auto& match : matches.parts) {
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
  SampleDesk& desk_;
  Console& console_;
};

}  // namespace

int run_similar_search(const SearchArguments& arguments, Console& console) {
  SampleDesk desk(console);
  if (const int code = desk.open(arguments.library, LibraryUse::kSearch); code != EX_OK) {
    return code;
  }
  SampleSearch search(arguments, desk, console);
  return for_each_signed(arguments.input, signing_for(desk.options(), arguments.raw), console,
                         [&](const SignedInput& input) { return search.take(input); });
}

}  // namespace shingled::milter
