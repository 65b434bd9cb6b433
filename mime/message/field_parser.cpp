#include "mime/message/field_parser.h"

#include <mimetic/contentdisposition.h>
#include <mimetic/contenttransferencoding.h>
#include <mimetic/contenttype.h>
#include <mimetic/fieldparam.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "config/base/ascii.h"
#include "mime/charset/charset.h"
#include "mime/message/header_block.h"
#include "mime/message/header_words.h"
#include "mime/model/escapes.h"

namespace shingled::mime {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Around the name of a transfer encoding rspamd and mail programs overlook these.
constexpr std::string_view kAroundMechanism = " \t\r\n;,.+-#!`~'";

constexpr Steps kStepsAField = 1'500;
constexpr Steps kStepsAFieldByte = 8;

/// Only the end of a file name matters, which all versions of rspamd decode alike.
constexpr Compat kNameCompat = Compat::kRspamd4;

std::string_view trim(std::string_view text, std::string_view around = kBlanks) {
  const std::size_t begin = text.find_first_not_of(around);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(around) - begin + 1);
}

/// The last quote without a backslash before it. The backslashes before a quote can be counted from
/// the quote, so the search can start at the end.
std::size_t last_unescaped_quote(std::string_view value) {
  for (std::size_t at = value.size(); at-- > 0;) {
    if (value[at] != '"') continue;
    std::size_t begin = at;
    while (begin > 0 && value[begin - 1] == '\\') --begin;
    if ((at - begin) % 2 == 0) return at;
    at = begin;
  }
  return std::string_view::npos;
}

/// Splits at each ";" outside quotes and comments. Removes comments and decodes escapes in quotes,
/// but leaves the quotes to libmimetic.
std::vector<std::string> split_pieces(std::string_view value) {
  std::vector<std::string> pieces(1);
  bool quoted = false;
  std::size_t comments = 0;
  // An unterminated quote is an ordinary character; otherwise it would swallow all later
  // parameters.
  const std::size_t last_quote = last_unescaped_quote(value);
  const auto closes = [last_quote](std::size_t at) {
    return last_quote != std::string_view::npos && last_quote > at;
  };
  const std::size_t last_parenthesis = value.rfind(')');
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '\\' && (quoted || comments > 0) && i + 1 < value.size()) {
      ++i;
      if (comments == 0) pieces.back().push_back(value[i]);
    } else if (comments > 0) {
      comments += c == '(' ? 1U : 0U;
      comments -= c == ')' ? 1U : 0U;
    } else if (c == '"') {
      if (quoted || closes(i)) {
        quoted = !quoted;
        pieces.back().push_back(c);
      }
    } else if (!quoted && c == '(' && last_parenthesis != std::string_view::npos &&
               i < last_parenthesis) {
      ++comments;
    } else if (!quoted && c == ';') {
      if (pieces.size() > kParametersMax) break;
      pieces.emplace_back();
    } else {
      pieces.back().push_back(c);
    }
  }
  return pieces;
}

using Parameters = std::map<std::string, std::string>;

/// A continued or encoded parameter of RFC 2231: its pieces by number, and whether they are
/// encoded.
struct Continued {
  std::map<unsigned, std::pair<std::string, bool>> sections;  // text, percent-encoded?
};

/// Joins the sections and converts them from the charset at the front: "utf-8'en'%c3%a4".
std::string join_sections(const Continued& continued, WorkMeter& meter) {
  std::string bytes;
  std::string charset;
  for (const auto& [number, section] : continued.sections) {
    std::string_view text = section.first;
    if (number == 0 && section.second) {
      const std::size_t first = text.find('\'');
      const std::size_t second =
          first == std::string_view::npos ? first : text.find('\'', first + 1);
      if (second != std::string_view::npos) {
        charset = text.substr(0, first);
        text.remove_prefix(second + 1);
      }
    }
    bytes += section.second ? percent_decoded(text) : std::string(text);
  }
  return decode_word(bytes, charset, meter);
}

/// "name*0*": the number of the section and whether it is encoded.
// NOLINTNEXTLINE(performance-unnecessary-value-param): it does not see the move in try_emplace()
void add_section(const std::string& name, std::size_t star, std::string value,
                 std::map<std::string, Continued>& continued) {
  std::string_view suffix = std::string_view(name).substr(star + 1);
  bool encoded = suffix.empty();
  if (!suffix.empty() && suffix.back() == '*') {
    encoded = true;
    suffix.remove_suffix(1);
  }
  unsigned number = 0;
  for (const char c : suffix) {
    if (!ascii::is_digit(c) || number > kParametersMax) return;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  continued[name.substr(0, star)].sections.try_emplace(number, std::move(value), encoded);
}

/// An unquoted value ends at a blank, but mail programs show all of a file name.
std::string_view unquoted_value(std::string_view name, std::string_view value) {
  value = trim(value);
  if (name == "name" || name == "filename") return value;
  return value.substr(0, value.find_first_of(kBlanks));
}

/// The parameters of the pieces from `first` on, with names in lower case; of repeated ones the
/// first.
Parameters parse_parameters(const std::vector<std::string>& pieces, WorkMeter& meter,
                            std::size_t first = 1) {
  Parameters parameters;
  std::map<std::string, Continued> continued;
  for (std::size_t i = first; i < pieces.size(); ++i) {
    if (pieces[i].find('=') == std::string::npos) continue;
    const mimetic::FieldParam parsed(std::string(trim(pieces[i])));
    const std::string name = ascii::to_lower(trim(parsed.name()));
    const bool quoted = pieces[i].find('"') != std::string::npos;
    std::string value(parsed.value());
    if (!quoted) value = std::string(unquoted_value(name, value));
    if (name.empty() || (value.empty() && !quoted)) continue;
    if (const std::size_t star = name.find('*'); star != std::string::npos) {
      add_section(name, star, std::move(value), continued);
    } else {
      parameters.try_emplace(name, std::move(value));
    }
  }
  for (const auto& [name, sections] : continued) parameters[name] = join_sections(sections, meter);
  return parameters;
}

std::vector<std::string> pieces_of_field(std::string_view value) {
  return split_pieces(unfold(value.substr(0, std::min(value.size(), kFieldBytesMax))));
}

std::string parameter(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

}  // namespace

std::optional<MediaType> parse_media_type(std::string_view value, WorkMeter& meter) {
  const std::vector<std::string> pieces = pieces_of_field(value);
  const std::string_view whole = trim(pieces[0]);
  const mimetic::ContentType parsed{std::string(whole.substr(0, whole.find_first_of(kBlanks)))};
  MediaType media;
  media.type = ascii::to_lower(trim(parsed.type()));
  media.subtype = ascii::to_lower(trim(parsed.subtype()));
  if (media.type.empty()) return std::nullopt;
  if (media.type == "html" && media.subtype.empty()) {
    media.type = "text";
    media.subtype = "html";
  }
  const Parameters parameters = parse_parameters(pieces, meter);
  media.charset = parameter(parameters, "charset");
  media.boundary = parameter(parameters, "boundary");
  const char* const name = parameters.count("name") != 0 ? "name" : "filename";
  media.named = parameters.count(name) != 0;
  media.name = decode_header_words(parameter(parameters, name), kNameCompat, meter);
  return media;
}

Disposition parse_disposition(std::string_view value, WorkMeter& meter) {
  const std::vector<std::string> pieces = pieces_of_field(value);
  const mimetic::ContentDisposition parsed{std::string(trim(pieces[0]))};
  Disposition disposition;
  if (pieces[0].find('=') != std::string::npos) {
    disposition.bare_name = decode_header_words(
        parameter(parse_parameters(pieces, meter, 0), "filename"), kNameCompat, meter);
  }
  const std::string kind = ascii::to_lower(trim(parsed.type()));
  if (kind.empty()) return disposition;  // its file name does not count either
  disposition.kind = kind == "inline"       ? Disposition::Kind::kInline
                     : kind == "attachment" ? Disposition::Kind::kAttachment
                                            : Disposition::Kind::kOther;
  disposition.file_name = decode_header_words(
      parameter(parse_parameters(pieces, meter), "filename"), kNameCompat, meter);
  return disposition;
}

TransferEncoding parse_transfer_encoding(std::string_view value) {
  const std::string cut(
      trim(value.substr(0, std::min(value.size(), kFieldBytesMax)), kAroundMechanism));
  const mimetic::ContentTransferEncoding parsed{cut};
  const std::string mechanism = ascii::to_lower(trim(parsed.mechanism(), kAroundMechanism));
  if (mechanism == "7bit") return TransferEncoding::k7bit;
  if (mechanism == "8bit") return TransferEncoding::k8bit;
  if (mechanism == "binary") return TransferEncoding::kBinary;
  if (mechanism == "quoted-printable") return TransferEncoding::kQuotedPrintable;
  if (mechanism == "base64" || mechanism == "base-64") return TransferEncoding::kBase64;
  for (const std::string_view name : {"x-uuencode", "uuencode", "x-uue", "x-uu", "uue"}) {
    if (mechanism == name) return TransferEncoding::kUuencode;
  }
  return TransferEncoding::kMissing;
}

void read_content_fields(std::span<const HeaderField> fields, MailPart& part, WorkMeter& meter) {
  for (const HeaderField& field : fields) {
    const auto is = [&](std::string_view name) {
      return ascii::equal_ignoring_case(field.name, name) &&
             meter.spend(kStepsAField +
                         kStepsAFieldByte * std::min(field.value.size(), kFieldBytesMax));
    };
    if (is("Content-Type")) {
      std::optional<MediaType> media = parse_media_type(field.value, meter);
      if (!media || (part.type_declared && media->type != "multipart")) continue;
      part.type = std::move(*media);
      part.type_declared = true;
    } else if (part.disposition.kind == Disposition::Kind::kNone && is("Content-Disposition")) {
      part.disposition = parse_disposition(field.value, meter);
    } else if (part.encoding == TransferEncoding::kMissing && is("Content-Transfer-Encoding")) {
      part.encoding = parse_transfer_encoding(field.value);
    } else if (ascii::equal_ignoring_case(field.name, "Content-Id")) {
      part.has_content_id = true;
    }
  }
}

}  // namespace shingled::mime
