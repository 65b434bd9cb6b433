#include "milter/policy/name_comparison.h"

#include <fmt/format.h>

#include "config/base/ascii.h"
#include "milter/features/feature.h"
#include "milter/policy/condition_mistakes.h"

namespace shingled::milter::policy {

namespace {

/// Takes the value that is next.
bool name_value(TokenCursor& at, Atom& atom) {
  const bool keyword = is_keyword(at.next.text);
  if (at.next.kind != Token::Kind::kValue || keyword)
    return at.fail(at.next, fmt::format("a value is missing between {} and {}", at.last.spoken(),
                                        at.next.spoken()));
  std::string_view text = at.next.text;
  if (text.starts_with('"')) {
    if (text.size() < 2 || !text.ends_with('"'))
      return at.fail(at.next, "this quotation is not closed");
    text = text.substr(1, text.size() - 2);
  }
  atom.entries.emplace_back(text);
  atom.entry_places.push_back(at.next.place());
  at.take();
  return true;
}

bool name_list(TokenCursor& at, Atom& atom) {
  const Token open = at.take();
  while (true) {
    at.read_value();
    if (at.next.text == "]" && atom.entries.empty())
      return at.fail(Span{open.offset, at.next.offset + 1 - open.offset},
                     "nothing is between these brackets");
    if (!name_value(at, atom)) return false;
    if (at.next.text == "]") break;
    if (at.next.kind == Token::Kind::kEnd) return at.fail(open, "this bracket is not closed");
    if (at.next.text != ",")
      return at.fail(at.next, fmt::format("a comma is missing before {}", at.next.spoken()));
    at.take();
  }
  at.take();
  return true;
}

bool name_file(TokenCursor& at, Atom& atom) {
  if (!name_value(at, atom)) return false;
  atom.file = std::move(atom.entries.back());
  atom.entries.clear();
  if (atom.file.starts_with('/') || atom.file.starts_with("./")) return true;
  return at.fail(atom.entry_places.back(),
                 "values stand in brackets, such as [a@shop.example, b@shop.example]; a file is "
                 "written with its folder, such as /etc/shingled/names.list or ./names.list",
                 fmt::format("[{}]", atom.file));
}

}  // namespace

bool names_come(const TokenCursor& at, const Atom& atom, std::string_view text) {
  const bool in = at.next.is_word("in");
  const bool equal = at.next.text == "=" || at.next.text == "!=" || at.next.text == "==";
  if (features::find_name(atom.name) != nullptr)
    return in || at.next.kind == Token::Kind::kOperator || is_comparison(meant_by(at.next.text));
  if (features::find_feature(atom.name) != nullptr || (!in && !equal)) return false;
  const std::string_view rest =
      ascii::trim_space(text.substr(at.next.offset + at.next.text.size()));
  if (rest.empty()) return false;
  if (rest[0] == '/' || rest[0] == '"' || (rest[0] == '[' && in)) return true;
  const std::string_view value = rest.substr(0, rest.find_first_of(" \t\r\n,()[]"));
  return value.find_first_of("@/:") != std::string_view::npos;
}

bool read_names(TokenCursor& at, Atom& atom) {
  atom.kind = Atom::Kind::kNames;
  atom.op = Operator::kEqual;
  if (at.next.is_word("in")) {
    atom.is_in = true;
    at.take();
    at.read_value();
    return at.next.text == "[" ? name_list(at, atom) : name_file(at, atom);
  }
  const auto op = at.take_operator();
  if (!op) return false;
  atom.op = *op;
  at.read_value();
  if (at.next.text == "[") return at.fail(at.last, "several values are written with 'in'", "in");
  return name_value(at, atom);
}

}  // namespace shingled::milter::policy
