#include "milter/pieces/piece_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/words/nearest_word.h"
#include "milter/pieces/normal_piece.h"

namespace shingled::milter::pieces {

namespace {

constexpr std::size_t kShingleDigits = 16;

const PieceTypeRow* find_type(std::string_view word) {
  if (const auto number = parse_whole<std::uint64_t>(word)) return find_piece_type(*number);
  return find_piece_type(word);
}

bool is_shingle(std::string_view text) {
  return text.size() == kShingleDigits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

Error wrong(const PieceTypeRow& type, std::string_view why) {
  return {ErrorCode::kInvalid, fmt::format("{} {}", type.name, why)};
}

/// Reads the texts of one type.
class PieceReader {
 public:
  PieceReader(const PieceTypeRow& type, bool exact, PieceChoice& choice)
      : type_(type), exact_(exact), choice_(choice) {}

  Status add_single(const std::string& text) {
    auto form = form_of(type_.type, text);
    if (!form) return form.error();
    choice_.pieces.push_back({{type_.type, *std::move(form), ""}, ""});
    return {};
  }

  Status add_pair(const std::string& first, const std::string& second) {
    const PairParts parts = parts_of(type_.type);
    auto a = form_of(parts.first, first);
    if (!a) return a.error();
    auto b = form_of(parts.second, second);
    if (!b) return b.error();
    choice_.pieces.push_back({{type_.type, *std::move(a), *std::move(b)}, ""});
    return {};
  }

 private:
  Result<std::string> form_of(std::optional<PieceType> type, const std::string& text) {
    if (text.empty()) return wrong(type_, "needs a piece that is not empty");
    if (exact_ || !type) return text;
    auto form = normal_piece(*type, text);
    if (!form) {
      return wrong(type_, fmt::format("cannot be '{}'; --exact takes it as it is", text));
    }
    if (*form != text) choice_.notes.push_back(fmt::format("'{}' is counted as '{}'", text, *form));
    return *std::move(form);
  }

  const PieceTypeRow& type_;
  bool exact_;
  PieceChoice& choice_;
};

}  // namespace

bool names_type(const PieceWords& words) {
  return !words.words.empty() && find_type(words.words.front()) != nullptr;
}

unsigned number_of_type(const std::string& word) {
  const PieceTypeRow* type = find_type(word);
  return type == nullptr ? 0 : static_cast<unsigned>(type->type);
}

Result<PieceChoice> choose_pieces(const PieceWords& words) {
  const PieceTypeRow* type = find_type(words.words.front());
  if (type == nullptr) return Error{ErrorCode::kInvalid, "not a type of pieces"};
  PieceChoice choice;
  const std::size_t texts = words.words.size() - 1;
  if (!words.shingle.empty()) {
    if (texts != 0) return wrong(*type, "takes a piece or --shingle, not both");
    if (!is_shingle(words.shingle)) {
      return Error{ErrorCode::kInvalid, "--shingle takes 16 hexadecimal digits"};
    }
    choice.pieces.push_back({{type->type, "", ""}, ascii::to_lower(words.shingle)});
    return choice;
  }
  PieceReader reader(*type, words.exact, choice);
  if (type->kind == PieceTypeRow::Kind::kPair) {
    if (texts != 2) return wrong(*type, "is a pair and takes two pieces");
    Status read = reader.add_pair(words.words[1], words.words[2]);
    return read ? Result<PieceChoice>(std::move(choice)) : read.error();
  }
  if (texts == 0) return wrong(*type, "needs a piece, or --shingle");
  for (std::size_t i = 1; i <= texts; ++i) {
    if (Status read = reader.add_single(words.words[i]); !read) return read.error();
  }
  return choice;
}

std::string meant_type(const std::string& word) {
  std::vector<std::string> names;
  for (const PieceTypeRow& row : piece_types()) names.emplace_back(row.name);
  const auto meant = config::nearest_word(word, names);
  return meant ? "; did you mean " + *meant + "?" : "";
}

std::vector<ChosenPiece> with_uniques(const std::vector<mime::Piece>& pieces) {
  std::vector<ChosenPiece> out;
  std::set<mime::Piece> uniques;
  for (const mime::Piece& piece : pieces) {
    out.push_back({piece, ""});
    if (is_pair(piece.type)) uniques.insert({unique_of(piece.type), piece.first, ""});
  }
  for (const mime::Piece& unique : uniques) out.push_back({unique, ""});
  std::stable_sort(out.begin(), out.end(), [](const ChosenPiece& a, const ChosenPiece& b) {
    return a.piece.type < b.piece.type;
  });
  return out;
}

Json piece_json(const ChosenPiece& chosen) {
  Json json{{"type", std::string(to_string(chosen.piece.type))}};
  if (!chosen.shingle.empty()) {
    json["shingle"] = chosen.shingle;
  } else if (is_pair(chosen.piece.type)) {
    json["piece"] = Json::array({chosen.piece.first, chosen.piece.second});
  } else {
    json["piece"] = chosen.piece.first;
  }
  return json;
}

std::string piece_text(const ChosenPiece& chosen) {
  if (!chosen.shingle.empty()) return "shingle " + chosen.shingle;
  return text_of(chosen.piece);
}

}  // namespace shingled::milter::pieces
