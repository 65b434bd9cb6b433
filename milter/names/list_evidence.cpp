#include "milter/names/list_evidence.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "milter/names/name_list.h"

namespace shingled::milter::names {

namespace {

using rules::Evidence;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// An entry that decides, and the name whose value met it.
struct Hit {
  Name name{};
  NameMatch match;
};

rules::Explanation explanation_of(std::string_view symbol, std::string_view effect, const Hit& hit,
                                  const std::string& path) {
  const NameRow& row = features::row_of(hit.name);
  const std::string place = fmt::format("{}:{}", file_name(path), hit.match.line);
  // Other recipients and strangers must not see who is on a list for what reason.
  const bool secret = hit.name == Name::kRecipient || hit.name == Name::kUser;
  rules::Explanation out;
  out.arithmetic =
      fmt::format("{} {} is on line {} of {}{}", row.word, hit.match.value, hit.match.line, path,
                  hit.match.entry == hit.match.value ? "" : ": " + hit.match.entry);
  out.log = fmt::format("{} {}: {} {} in {}{}", symbol, effect, row.word, hit.match.value, place,
                        hit.match.remark.empty() ? "" : " # " + hit.match.remark);
  out.header = fmt::format("{} {}: {}{} in {}", symbol, effect, row.word,
                           secret ? "" : " " + hit.match.value, place);
  out.details = {{"symbol", std::string(symbol)},
                 {"action", std::string(effect)},
                 {"name", std::string(row.word)},
                 {"value", hit.match.value},
                 {"entry", hit.match.entry},
                 {"file", path},
                 {"line", static_cast<std::int64_t>(hit.match.line)},
                 {"remark", hit.match.remark}};
  out.rows = {{"list", fmt::format("{} ({})", symbol, effect)},
              {std::string(row.word), hit.match.value},
              {"entry", fmt::format("{}, line {} of {}", hit.match.entry, hit.match.line, path)}};
  if (!hit.match.remark.empty()) out.rows.emplace_back("remark", hit.match.remark);
  return out;
}

Evidence& add(std::string_view symbol, std::string_view effect, Hit hit, const std::string& path,
              rules::Findings& out) {
  Evidence& item = out.evidence.emplace_back();
  item.symbol = symbol;
  item.place = fmt::format("{}:{}", file_name(path), hit.match.line);
  item.explanation = [symbol, effect, hit = std::move(hit), path] {
    return explanation_of(symbol, effect, hit, path);
  };
  return item;
}

std::optional<Hit> first_hit(const NameList* list, const ListForm& form,
                             const features::MessageNames& names, bool recipients) {
  if (list == nullptr) return std::nullopt;
  for (const Name line : names_of(form)) {
    if ((line == Name::kRecipient) != recipients) continue;
    const Name name = compared_name(form.kind, line);
    Found found = look_up(*list, line, names, name);
    if (found.match) return Hit{name, *std::move(found.match)};
  }
  return std::nullopt;
}

}  // namespace

Name compared_name(ListForm::Kind kind, Name of_line) {
  if (kind == ListForm::Kind::kAllow && of_line == Name::kListId) return Name::kProvedListId;
  if (kind == ListForm::Kind::kBlock && of_line == Name::kFrom) return Name::kClaimedFrom;
  if (kind == ListForm::Kind::kBlock && of_line == Name::kFromDomain)
    return Name::kClaimedFromDomain;
  return of_line;
}

std::vector<ListFile> list_files_of(const PolicyOptions& options) {
  std::vector<ListFile> out;
  if (!options.allow_file.empty())
    out.push_back({options.allow_file, {ListForm::Kind::kAllow, {}}});
  if (!options.block_file.empty())
    out.push_back({options.block_file, {ListForm::Kind::kBlock, {}}});
  return out;
}

bool has_entries(const Lists& lists, const PolicyOptions& options) {
  for (const ListFile& file : list_files_of(options)) {
    const NameList* const list = lists.find(file);
    if (list != nullptr && list->size() > 0) return true;
  }
  return false;
}

rules::Findings list_findings(const Lists& lists, const PolicyOptions& options,
                              const features::MessageNames& names) {
  rules::Findings out;
  out.source = &kListSource;
  bool allowed = false;
  for (const ListFile& file : list_files_of(options)) {
    const NameList* const list = lists.find(file);
    if (list == nullptr || list->size() == 0) continue;
    out.asked = out.asked.value_or(0) + list->size();
    if (file.form.kind == ListForm::Kind::kAllow) {
      if (auto hit = first_hit(list, file.form, names, /*recipients=*/false)) {
        add(kAllowSymbol, "accept", *std::move(hit), file.path, out).at_most = rules::Action::kPass;
        allowed = true;
      }
      if (auto hit = first_hit(list, file.form, names, /*recipients=*/true)) {
        add(kDeliverSymbol, "deliver", *std::move(hit), file.path, out).at_most =
            rules::Action::kAddHeader;
      }
    } else if (auto hit = first_hit(list, file.form, names, /*recipients=*/false)) {
      Evidence& item =
          add(kBlockSymbol, to_string(options.block_action), *std::move(hit), file.path, out);
      item.action = rules::action_of(options.block_action);
      if (allowed) item.effect = Evidence::Effect::kSpared;
    }
  }
  return out;
}

}  // namespace shingled::milter::names
