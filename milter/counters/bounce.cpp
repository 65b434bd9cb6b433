#include "milter/counters/bounce.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "milter/counters/envelope.h"

namespace shingled::milter::counters {

namespace {

constexpr std::size_t kBeginBytes = 512;  // of a text, with the greeting of the program

bool is_report(const mime::Mail& mail) {
  if (mail.parts.empty()) return false;
  const mime::MediaType& root = mail.parts.front().type;
  return root.type == "multipart" && root.subtype == "report" &&
         std::ranges::any_of(mail.parts, [](const mime::MailPart& part) {
           return part.parent == 0U && part.is_report();
         });
}

/// Whether the body begins as those of qmail and Exim do, or Exim's field is there.
bool is_text(std::span<const mime::HeaderField> fields, const mime::Analysis::Parts& parts) {
  static constexpr std::array<std::string_view, 2> kGreetings = {
      "This is the qmail-send program",
      "This message was created automatically by mail delivery software"};
  const bool marked = std::ranges::any_of(fields, [](const mime::HeaderField& field) {
    return ascii::equal_ignoring_case(field.name, "X-Failed-Recipients");
  });
  if (marked) return true;
  return std::ranges::any_of(parts.body, [&](std::uint32_t i) {
    const std::string_view begin = parts.mail.parts[i].body.substr(0, kBeginBytes);
    return std::ranges::any_of(kGreetings, [&](std::string_view greeting) {
      return begin.find(greeting) != std::string_view::npos;
    });
  });
}

constexpr auto kBoilerplate = std::to_array<PieceType>(
    {PieceType::kText, PieceType::kRobustText, PieceType::kStructure, PieceType::kSubject,
     PieceType::kExactSubject, PieceType::kDisplayName, PieceType::kMailer, PieceType::kHeaderOrder,
     PieceType::kHeaderNames, PieceType::kPhrase, PieceType::kShortText, PieceType::kNotice,
     PieceType::kHiddenPhrase, PieceType::kLinkShape, PieceType::kQuotedPhrase});

/// A report has those of its provider. A text of qmail or Exim has none but the name of its host,
/// so that others are those of a phisher who writes like them.
constexpr auto kLinks =
    std::to_array<PieceType>({PieceType::kLink, PieceType::kLinkHost, PieceType::kLinkDomain,
                              PieceType::kLinkPath, PieceType::kForeignHost, PieceType::kImageLink,
                              PieceType::kAddress, PieceType::kPhone, PieceType::kWallet});

/// The host of a link, or of a piece of one; of an address its domain.
std::string_view host_of(std::string_view piece) {
  const std::size_t scheme = piece.find("://");
  if (scheme != std::string_view::npos) piece.remove_prefix(scheme + 3);
  piece.remove_prefix(piece.find('@') + 1);  // npos + 1 is 0
  return piece.substr(0, piece.find_first_of(":/"));
}

bool is_below(std::string_view host, std::string_view domain) {
  if (domain.empty() || !host.ends_with(domain)) return false;
  host.remove_suffix(domain.size());
  return host.empty() || host.ends_with('.');
}

}  // namespace

Bounce bounce_of(std::string_view sender, std::span<const mime::HeaderField> fields,
                 const mime::Analysis::Parts& parts) {
  if (!sender.empty() && sender != kBounceSender) return Bounce::kNone;
  if (is_report(parts.mail)) return Bounce::kReport;
  return !sender.empty() && is_text(fields, parts) ? Bounce::kText : Bounce::kNone;
}

void remove_boilerplate(Bounce bounce, std::string_view own_domain, mime::PieceList& pieces) {
  if (bounce == Bounce::kNone) return;
  for (const PieceType type : kBoilerplate)
    pieces.remove(type, [](std::string_view) { return true; });
  for (const PieceType type : kLinks) {
    pieces.remove(type, [&](std::string_view piece) {
      return bounce == Bounce::kReport || is_below(host_of(piece), own_domain);
    });
  }
}

}  // namespace shingled::milter::counters
