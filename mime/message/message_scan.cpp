#include "mime/message/message_scan.h"

#include <deque>
#include <utility>

#include "mime/message/ascii_case.h"
#include "mime/message/delimiters.h"
#include "mime/message/field_parser.h"
#include "mime/message/header_block.h"
#include "mime/message/transfer_decoding.h"

namespace shingled::mime {
namespace {

/// A run of bytes that is searched for delimiters once: the message, or a nested one that had to be
/// decoded first.
struct Source {
  std::string_view bytes;
  std::vector<Delimiter> delimiters;
};

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A multipart whose children are being cut.
struct OpenMultipart {
  const Source* source = nullptr;
  Range range;
  std::uint32_t part = 0;
  std::string boundary;  ///< empty: the first delimiter will tell
  std::string path_prefix;
  std::size_t next_delimiter = 0;
  std::size_t child_begin = 0;
  bool in_child = false;
};

/// A message whose root node is to be added next.
struct PendingMessage {
  const Source* source = nullptr;
  Range range;
  std::optional<std::uint32_t> parent;
  std::string path;
};

std::string join_path(const std::string& prefix, const std::string& last) {
  return prefix.empty() ? last : prefix + "." + last;
}

class Scanner {
 public:
  Scanner(std::string_view message, const MimeOptions& options) : options_(options) {
    const std::size_t begin = skip_envelope(message);
    sources_.push_back({message, find_delimiters(message)});
    pending_ = PendingMessage{&sources_.back(), {begin, message.size()}, std::nullopt, ""};
  }

  Mail run() {
    while (pending_ || !open_.empty()) {
      if (pending_) {
        add_root(*std::exchange(pending_, std::nullopt));
      } else if (const std::optional<Range> child = next_child(open_.back())) {
        add_child(*child);
      } else {
        open_.pop_back();
      }
    }
    return std::move(mail_);
  }

 private:
  /// Blank lines and the "From " line of an mbox in front of the header.
  static std::size_t skip_envelope(std::string_view message) {
    std::size_t at = std::min(message.find_first_not_of(" \t\r\n\v\f"), message.size());
    if (message.substr(at, 5) == "From ") {
      at = std::min(message.find('\n', at), message.size() - 1) + 1;
    }
    return at;
  }

  /// The next range between two delimiters of this multipart.
  std::optional<Range> next_child(OpenMultipart& open) {
    const std::vector<Delimiter>& delimiters = open.source->delimiters;
    while (open.next_delimiter < delimiters.size()) {
      const Delimiter& delimiter = delimiters[open.next_delimiter];
      if (delimiter.begin >= open.range.end) break;
      ++open.next_delimiter;
      if (open.boundary.empty()) open.boundary = delimiter.name;
      const Delimiter::Match match = delimiter.match(open.boundary);
      if (match == Delimiter::Match::kNo) continue;
      const std::size_t behind =
          match == Delimiter::Match::kClosing ? delimiter.name_end : delimiter.line_end;
      const bool was_in_child = std::exchange(open.in_child, true);
      const Range child{std::exchange(open.child_begin, behind), delimiter.begin};
      if (match == Delimiter::Match::kClosing) end_at_closing(open);
      if (was_in_child && child.begin < child.end) return child;
    }
    if (!std::exchange(open.in_child, false)) return std::nullopt;
    mail_.note("multipart without its end");
    if (open.child_begin >= open.range.end) return std::nullopt;
    return Range{open.child_begin, open.range.end};
  }

  /// Nothing follows a closing delimiter, unless the very next delimiter is of this multipart too.
  static void end_at_closing(OpenMultipart& open) {
    const std::vector<Delimiter>& delimiters = open.source->delimiters;
    if (open.next_delimiter < delimiters.size() &&
        delimiters[open.next_delimiter].match(open.boundary) != Delimiter::Match::kNo) {
      return;
    }
    open.next_delimiter = delimiters.size();
    open.in_child = false;
  }

  void add_child(Range range) {
    OpenMultipart& open = open_.back();
    MailPart& parent = mail_.parts[open.part];
    const std::string path = join_path(open.path_prefix, std::to_string(++parent.children));
    add_part(*open.source, range, open.part, path, path);
  }

  /// The root node of a message, which has the section number ".1" unless it is a multipart.
  void add_root(const PendingMessage& message) {
    add_part(*message.source, message.range, message.parent, join_path(message.path, "1"),
             message.path);
  }

  /// Adds the node of `range`; a multipart among them gets `prefix` for the paths of its children.
  void add_part(const Source& source, Range range, std::optional<std::uint32_t> parent,
                const std::string& path, const std::string& prefix) {
    if (mail_.parts.size() >= options_.parts_max) return mail_.note("part limit reached");
    const auto index = static_cast<std::uint32_t>(mail_.parts.size());
    MailPart& part = mail_.parts.emplace_back();
    part.parent = parent;
    part.path = path;
    if (parent) part.depth = mail_.parts[*parent].depth + 1;
    const std::size_t body_begin =
        read_header(source.bytes.substr(0, range.end), range.begin, part);
    part.raw_body = source.bytes.substr(body_begin, range.end - body_begin);
    const bool nests = part.is_multipart() || part.is_message();
    if (nests && part.depth + 1 >= options_.depth_max) return mail_.note("depth limit reached");
    if (part.is_multipart()) {
      if (prefix != path) part.path = prefix.empty() ? "" : prefix + ".TEXT";
      open_multipart(source, {body_begin, range.end}, index, prefix);
      return;
    }
    decode_body(part);
    if (part.is_message()) open_message(source, body_begin, index);
  }

  /// Reads the header at `begin`; returns where the body begins.
  std::size_t read_header(std::string_view bytes, std::size_t begin, MailPart& part) {
    const std::string_view text = bytes.substr(begin);
    if (!text.empty() && (text[0] == '\n' || text[0] == '\r')) return begin;
    HeaderBlock block = split_header_block(text, options_);
    if (!block.ended && part.parent) return begin;
    if (block.truncated) mail_.note("header limit reached");
    part.headers = std::move(block.fields);
    interpret_header(part);
    return begin + block.body_begin;
  }

  /// The fields that say what the body is. Of several types a multipart wins, then the first.
  static void interpret_header(MailPart& part) {
    for (const HeaderField& field : part.headers) {
      if (equal_ignoring_case(field.name, "Content-Type")) {
        std::optional<MediaType> media = parse_media_type(field.value);
        if (!media || (part.type_declared && media->type != "multipart")) continue;
        part.type = std::move(*media);
        part.type_declared = true;
      } else if (equal_ignoring_case(field.name, "Content-Disposition")) {
        if (part.disposition.kind == Disposition::Kind::kNone) {
          part.disposition = parse_disposition(field.value);
        }
      } else if (equal_ignoring_case(field.name, "Content-Transfer-Encoding")) {
        if (part.encoding == TransferEncoding::kMissing) {
          part.encoding = parse_transfer_encoding(field.value);
        }
      } else if (equal_ignoring_case(field.name, "Content-Id")) {
        part.has_content_id = true;
      }
    }
  }

  void open_multipart(const Source& source, Range range, std::uint32_t part,
                      const std::string& prefix) {
    OpenMultipart open;
    open.source = &source;
    open.range = range;
    open.part = part;
    open.boundary = mail_.parts[part].type.boundary;
    open.path_prefix = prefix;
    open.next_delimiter = first_delimiter_from(source.delimiters, range.begin);
    open_.push_back(std::move(open));
  }

  void open_message(const Source& source, std::size_t body_begin, std::uint32_t part) {
    const MailPart& outer = mail_.parts[part];
    if (outer.body.data() == outer.raw_body.data()) {
      pending_ =
          PendingMessage{&source, {body_begin, body_begin + outer.body.size()}, part, outer.path};
      return;
    }
    sources_.push_back({outer.body, find_delimiters(outer.body)});
    pending_ = PendingMessage{&sources_.back(), {0, outer.body.size()}, part, outer.path};
  }

  void decode_body(MailPart& part) {
    const std::string_view raw = part.raw_body;
    const std::size_t limit = options_.part_bytes_max;
    const auto keep = [this](std::string decoded) -> std::string_view {
      return mail_.decoded.emplace_back(std::move(decoded));
    };
    switch (part.encoding) {
      case TransferEncoding::kBase64:
        part.body = keep(decode_base64(raw, limit));
        break;
      case TransferEncoding::kQuotedPrintable:
        part.body = keep(decode_quoted_printable(raw, limit));
        break;
      case TransferEncoding::kUuencode:
        part.body = keep(decode_uuencode(raw, limit));
        break;
      default:
        part.body = raw.substr(0, limit);
    }
    if (part.body.size() >= limit) mail_.note("part size limit reached");
  }

  const MimeOptions& options_;
  std::deque<Source> sources_;  ///< stable addresses
  std::vector<OpenMultipart> open_;
  std::optional<PendingMessage> pending_;
  Mail mail_;
};

}  // namespace

Mail scan_message(std::string_view message, const MimeOptions& options) {
  return Scanner(message, options).run();
}

}  // namespace shingled::mime
