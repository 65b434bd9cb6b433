#include "milter/policy/cases/case_message.h"

#include <filesystem>
#include <utility>

#include "milter/input/message_source.h"
#include "milter/policy/policy_evidence.h"

namespace shingled::milter::policy {

namespace {

using features::Feature;
using features::FeatureRow;
using features::FeatureValues;

void copy_feature(const FeatureRow& row, const FeatureValues& from, FeatureValues& to) {
  if (!from.is_known(row.feature)) return;
  switch (row.type) {
    case FeatureRow::Type::kNumber:
      return to.set_number(row.feature, from.number(row.feature));
    case FeatureRow::Type::kYesNo:
      return to.set_yes(row.feature, from.number(row.feature) != 0);
    case FeatureRow::Type::kWord:
      return to.set_word(row.feature, from.word(row.feature));
  }
}

}  // namespace

Result<CaseMessages> CaseMessages::open(const Settings& settings,
                                        const policy::CompiledRules& rules, std::string folder) {
  CaseMessages out(std::move(folder));
  auto alone = std::make_shared<Settings>(settings);
  alone->rules.clear();
  alone->similar.enabled = false;
  auto scanner = judge::Scanner::open(std::move(alone), nullptr, *out.clock_, *out.random_, {},
                                      judge::ServerNames::kLater,
                                      std::make_shared<const policy::Policy>(rules));
  if (!scanner) return scanner.error();
  out.scanner_ = *std::move(scanner);
  return out;
}

Status CaseMessages::add_to(FeatureValues& features, const std::string& file) const {
  const std::string path = (std::filesystem::path(folder_) / file).string();
  input::MessageSource source({path},
                              {.message_bytes_max = scanner_->settings().milter.message_bytes_max});
  const auto message = source.next();
  if (!message) return Error{ErrorCode::kNotFound, "no message"};
  if (message->error) return *message->error;
  if (message->cut) return Error{ErrorCode::kInvalid, "longer than milter.message_bytes_max"};
  if (source.next()) return Error{ErrorCode::kInvalid, "a case has one message, not several"};
  const rules::Facts facts = scanner_->scan({.bytes = message->bytes});
  for (const FeatureRow& row : features::features()) {
    const bool same_every_day = row.feature != Feature::kHour;
    if (same_every_day && !features.is_known(row.feature))
      copy_feature(row, facts.features, features);
  }
  return {};
}

}  // namespace shingled::milter::policy
