#include "mime/message/message_scan.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "config/base/ascii.h"
#include "mime/message/field_parser.h"
#include "mime/message/header_block.h"
#include "mime/message/inner_entity.h"
#include "mime/message/scan_frame.h"
#include "mime/message/transfer_decoding.h"

namespace shingled::mime {
namespace {

using Range = ScanRange;
using Source = ScanSource;
using Scope = ScanScope;
using Frame = ScanFrame;

std::string join_path(const std::string& prefix, const std::string& last) {
  return prefix.empty() ? last : prefix + "." + last;
}

/// Lines with "--" that are kept of a message: 8 MB of memory.
constexpr std::size_t kDelimitersMax = 1'000'000;

// What scanning costs, in steps (tests/hostile measures it).
constexpr Steps kStepsAPart = 1'000;
constexpr Steps kStepsADelimiter = 12;  // to be found or compared
constexpr Steps kStepsAHeaderByte = 4;  // two passes at most
constexpr Steps kStepsAHeaderField = 30;
constexpr Steps kStepsADecodedByte = 6;  // quoted-printable with bad escapes
constexpr std::size_t kBytesAStep = 8;   // when only searching for line breaks

class Scanner {
 public:
  Scanner(std::string_view message, const MimeOptions& options, WorkMeter& meter)
      : options_(options), meter_(meter), bytes_max_(message.size()) {
    sources_.emplace_back(message);
    add_scope(sources_.back(), {skip_envelope(message), message.size()}, std::nullopt, "");
  }

  Mail run() {
    while (!meter_.refused() && (pending_ != nullptr || !frames_.empty())) {
      if (Scope* scope = std::exchange(pending_, nullptr)) {
        add_root(*scope);
      } else if (frames_.back().kind == Frame::Kind::kMultipart) {
        step_multipart();
      } else {
        step_leftovers();
      }
    }
    if (meter_.refused()) mail_.add_missing("work limit reached");
    return std::move(mail_);
  }

 private:
  /// Skips blank lines and the "From " line of an mbox before the header.
  static std::size_t skip_envelope(std::string_view message) {
    std::size_t at = std::min(message.find_first_not_of(" \t\r\n\v\f"), message.size());
    if (message.substr(at, 5) == "From ") {
      at = std::min(message.find('\n', at), message.size() - 1) + 1;
    }
    return at;
  }

  void add_scope(Source& source, Range range, std::optional<std::uint32_t> parent,
                 const std::string& path) {
    scopes_.push_back({&source, range, parent, path, range.begin});
    pending_ = &scopes_.back();
  }

  /// The delimiters of the source of a scope.
  const DelimiterList& delimiters_of(const Scope& scope) {
    std::optional<DelimiterList>& list = scope.source->delimiters;
    if (list) return *list;
    const std::string_view bytes = scope.source->bytes;
    const bool paid = meter_.spend(bytes.size() / kBytesAStep);
    list.emplace(paid ? bytes : std::string_view(), kDelimitersMax - delimiters_);
    delimiters_ += list->size();
    if (list->truncated()) mail_.add_missing("delimiter limit reached");
    static_cast<void>(meter_.spend(list->size(), kStepsADelimiter));
    return *list;
  }

  /// Delimiter::match(), paid for, as comparing long boundaries costs.
  Delimiter::Match match(const Delimiter& delimiter, std::string_view boundary) {
    const std::size_t bytes = delimiter.line.size() < boundary.size() ? 0 : boundary.size();
    if (!meter_.spend(kStepsADelimiter + bytes)) return Delimiter::Match::kNo;
    return delimiter.match(boundary);
  }

  /// The root part of a message has the section number ".1" unless it is a multipart.
  void add_root(Scope& scope) {
    const std::size_t index = mail_.parts.size();
    if (!scope.was_signed) {
      frames_.push_back({.kind = Frame::Kind::kLeftovers, .scope = &scope});
    }
    add_part(scope, scope.range, scope.parent, join_path(scope.path, "1"), scope.path);
    const bool nests = index < mail_.parts.size() &&
                       (mail_.parts[index].is_multipart() || mail_.parts[index].is_message());
    if (!nests && !scope.was_signed) frames_.pop_back();
  }

  void step_multipart() {
    Frame& frame = frames_.back();
    const std::optional<Range> child = next_child(frame);
    if (!child) {
      note_unread(frame);
      return frames_.pop_back();
    }
    const std::string path =
        join_path(frame.path_prefix, std::to_string(++mail_.parts[frame.part].children));
    add_part(*frame.scope, *child, frame.part, path, path);
  }

  /// What stands in a multipart without parts is nobody's part, so nobody looks at it. (In the root
  /// of a message all lines that look like delimiters begin parts, see step_leftovers().)
  void note_unread(const Frame& frame) {
    const MailPart& part = mail_.parts[frame.part];
    if (part.children > 0 || !meter_.spend(part.raw_body.size() / kBytesAStep)) return;
    const ScanScope& scope = *frame.scope;
    const DelimiterList& delimiters = delimiters_of(scope);
    const std::size_t first = delimiters.first_from(frame.range.begin);
    const bool delimited =
        first < delimiters.size() && delimiters.begin_of(first) < frame.range.end;
    const bool is_root = part.parent == scope.parent && !scope.was_signed;
    if (is_root && delimited) return;
    std::string_view unread = part.raw_body;
    if (scope.matched >= frame.range.begin && scope.matched < frame.range.end) {
      unread.remove_prefix(scope.matched - frame.range.begin);
      unread.remove_prefix(std::min(unread.find_first_of("\r\n"), unread.size()));
    }
    if (std::all_of(unread.begin(), unread.end(), ascii::is_space)) return;
    mail_.add_missing("multipart without its boundary");
  }

  /// The next range between two delimiters of this multipart.
  std::optional<Range> next_child(Frame& frame) {
    const DelimiterList& delimiters = delimiters_of(*frame.scope);
    while (frame.next_delimiter < delimiters.size() &&
           delimiters.begin_of(frame.next_delimiter) < frame.range.end && !meter_.refused()) {
      const Delimiter delimiter = delimiters[frame.next_delimiter++];
      if (frame.boundary.empty()) frame.boundary = delimiter.name;
      const Delimiter::Match how = match(delimiter, frame.boundary);
      if (how == Delimiter::Match::kNo) continue;
      frame.scope->matched = delimiter.begin;
      const Range child{frame.child_begin, delimiter.begin};
      const bool complete = frame.in_child && !child.empty();
      // Of two delimiters without text between them the first begins the part.
      if (complete || !frame.in_child) frame.child_begin = delimiter.after;
      frame.in_child = true;
      if (how == Delimiter::Match::kClosing) end_at_closing(frame);
      if (complete) return child;
    }
    if (!std::exchange(frame.in_child, false)) return std::nullopt;
    mail_.add_defect("multipart without its end");
    return last_child(frame);
  }

  /// A closing delimiter ends the multipart, unless the next delimiter belongs to it, too.
  void end_at_closing(Frame& frame) {
    const DelimiterList& delimiters = delimiters_of(*frame.scope);
    if (frame.next_delimiter < delimiters.size() &&
        delimiters.begin_of(frame.next_delimiter) < frame.scope->range.end &&
        match(delimiters[frame.next_delimiter], frame.boundary) != Delimiter::Match::kNo) {
      return;
    }
    frame.next_delimiter = delimiters.size();
    frame.in_child = false;
  }

  /// The part after the last delimiter of an unclosed multipart. In a nested multipart it is kept
  /// only if no delimiter follows but the one that ends the multipart.
  std::optional<Range> last_child(const Frame& frame) {
    const Scope& scope = *frame.scope;
    const DelimiterList& delimiters = delimiters_of(scope);
    const std::size_t next = delimiters.first_from(frame.range.end + 1);
    if (next < delimiters.size() && delimiters.begin_of(next) < scope.range.end)
      return std::nullopt;
    const Range child{frame.child_begin, frame.range.end};
    return child.empty() ? std::nullopt : std::optional(child);
  }

  /// After the last delimiter of a multipart message, every line that looks like a delimiter begins
  /// a part without a parent. This finds list footers below a "-- ".
  void step_leftovers() {
    Frame& frame = frames_.back();
    Scope& scope = *frame.scope;
    const DelimiterList& delimiters = delimiters_of(scope);
    if (frame.next_delimiter == 0) {
      const bool nothing_matched = scope.matched == scope.range.begin;
      frame.next_delimiter = delimiters.first_from(scope.matched + (nothing_matched ? 0 : 1));
    }
    while (frame.next_delimiter < delimiters.size() && meter_.spend(kStepsADelimiter)) {
      const Delimiter delimiter = delimiters[frame.next_delimiter++];
      if (delimiter.begin >= scope.range.end) break;
      if (delimiter.closing) continue;
      Range range{delimiter.after, scope.range.end};
      // In rspamd 3, lines of dashes do not end a left-over; in 4 they do.
      while (options_.compat == Compat::kRspamd3 && frame.next_delimiter < delimiters.size() &&
             delimiters[frame.next_delimiter].is_rule() && meter_.spend(kStepsADelimiter)) {
        ++frame.next_delimiter;
      }
      if (frame.next_delimiter < delimiters.size()) {
        range.end = std::min(range.end, delimiters.begin_of(frame.next_delimiter));
      }
      if (range.empty()) continue;
      if (!is_worth_keeping(scope.source->bytes.substr(range.begin, range.end - range.begin)))
        break;
      return add_part(scope, range, std::nullopt, join_path(scope.path, "1"), scope.path);
    }
    frames_.pop_back();
  }

  /// A left-over without a header needs a letter or digit. All left-overs together may not be
  /// larger than the message; otherwise nested messages would multiply it.
  bool is_worth_keeping(std::string_view bytes) {
    if (is_line_break(bytes[0]) && std::none_of(bytes.begin(), bytes.end(), ascii::is_alnum)) {
      return false;
    }
    mail_.add_defect("text behind the end of a multipart");
    leftover_bytes_ += bytes.size();
    return leftover_bytes_ <= bytes_max_;
  }

  /// Adds the part of `range`; a multipart gives `prefix` to the paths of its children.
  void add_part(Scope& scope, Range range, std::optional<std::uint32_t> parent,
                const std::string& path, const std::string& prefix) {
    if (mail_.parts.size() >= options_.parts_max) return mail_.add_missing("part limit reached");
    if (!meter_.spend(kStepsAPart)) return;
    const auto index = static_cast<std::uint32_t>(mail_.parts.size());
    MailPart& part = mail_.parts.emplace_back();
    part.number = walked_++;
    part.parent = parent;
    part.path = path;
    const std::optional<std::uint32_t> above = parent ? parent : scope.parent;
    if (above) {
      part.depth = mail_.parts[*above].depth + 1;
      part.foreign_to_rspamd = is_foreign_below(mail_.parts[*above], scope.was_signed);
    }
    const std::string_view bytes = scope.source->bytes;
    range.begin = read_header(bytes.substr(0, range.end), range.begin, part);
    if (!part.type_declared && parent && mail_.parts[*parent].type.subtype == "digest") {
      range.begin = take_digested(bytes.substr(0, range.end), range.begin, part);
    }
    part.raw_body = bytes.substr(range.begin, range.end - range.begin);
    const bool nests = part.is_multipart() || part.is_message();
    const bool too_deep = nests && part.depth + 1 >= options_.depth_max;
    if (too_deep) mail_.add_missing("depth limit reached");
    if (part.is_multipart()) {
      if (prefix != path) part.path = prefix.empty() ? "" : prefix + ".TEXT";
      if (!too_deep) open_multipart(scope, range, index, prefix);
      return;
    }
    decode(part);
    // An empty part does not count against the part limit.
    if (part.body.empty() && index > 0) return mail_.parts.pop_back();
    if (part.is_message() && !too_deep) open_message(scope, range, index);
    open_signed(index);
  }

  /// Makes a message of a part of multipart/digest that is one; returns where its body begins.
  std::size_t take_digested(std::string_view bytes, std::size_t begin, MailPart& part) {
    const std::string_view body = bytes.substr(begin);
    const std::size_t read = std::min(body.size(), options_.header_bytes_max);
    if (!meter_.spend(read, kStepsAHeaderByte)) return begin;
    const std::optional<std::size_t> message = begin_of_digested(body, options_);
    if (!message) return begin;
    part.type.type = "message";
    part.type.subtype = "rfc822";
    return begin + *message;
  }

  /// Reads the header at `begin`; returns where the body begins.
  std::size_t read_header(std::string_view bytes, std::size_t begin, MailPart& part) {
    const std::string_view text = bytes.substr(begin);
    if (!text.empty() && is_line_break(text[0])) return begin;
    const HeaderBlock block = split_header_block(text, options_);
    // Without an empty line there is no header, except in a message that consists of a header.
    const bool header = block.ended || !(block.fields.empty() || part.parent);
    const Steps steps =
        kStepsAHeaderByte * block.body_begin + kStepsAHeaderField * block.fields.size();
    if (!meter_.spend(steps) || !header) return begin;
    if (block.truncated) mail_.add_defect("header limit reached");
    read_content_fields(block.fields, part, meter_);
    if (part.number == 0) take_subject(block.fields);
    keep_names(part);
    return begin + block.body_begin;
  }

  void take_subject(const std::vector<HeaderField>& fields) {
    const auto found = std::find_if(fields.begin(), fields.end(), [](const HeaderField& field) {
      return ascii::equal_ignoring_case(field.name, "Subject");
    });
    if (found != fields.end()) mail_.subject = found->value;
  }

  /// Limits the names and boundaries that are kept: all together at most the size of the message.
  void keep_names(MailPart& part) {
    const std::size_t bytes = part.type.name.size() + part.type.boundary.size() +
                              part.disposition.file_name.size() + part.disposition.bare_name.size();
    name_bytes_ += bytes;
    if (name_bytes_ <= bytes_max_) return;
    name_bytes_ -= bytes;
    part.type.name = part.type.boundary = part.disposition.file_name =
        part.disposition.bare_name = {};
    mail_.add_missing("name limit reached");
  }

  void open_multipart(Scope& scope, Range range, std::uint32_t part, const std::string& prefix) {
    frames_.push_back({.kind = Frame::Kind::kMultipart,
                       .scope = &scope,
                       .range = range,
                       .part = part,
                       .boundary = mail_.parts[part].type.boundary,
                       .path_prefix = prefix,
                       .next_delimiter = delimiters_of(scope).first_from(range.begin)});
  }

  void open_message(const Scope& scope, Range range, std::uint32_t part) {
    const MailPart& outer = mail_.parts[part];
    if (outer.body.data() == outer.raw_body.data()) {
      range.end = range.begin + outer.body.size();
      return add_scope(*scope.source, range, part, outer.path);
    }
    sources_.emplace_back(outer.body);
    add_scope(sources_.back(), {0, outer.body.size()}, part, outer.path);
  }

  /// Reads what was signed in a part like a message without an envelope.
  void open_signed(std::uint32_t index) {
    const std::size_t room = kSignedShareMax * bytes_max_ - signed_bytes_;
    const std::string_view content = open_signed_part(mail_, index, options_, room, meter_);
    if (content.empty()) return;
    signed_bytes_ += content.size();
    sources_.emplace_back(content);
    add_scope(sources_.back(), {0, content.size()}, index, mail_.parts[index].path);
    pending_->was_signed = true;
  }

  /// Limits all decoded bodies together to the size of the message and of what was signed in it. As
  /// encodings only make bodies larger, only encoded messages in encoded messages reach the limit.
  void decode(MailPart& part) {
    const std::size_t room = bytes_max_ + signed_bytes_ - decoded_bytes_;
    const std::size_t limit = std::min<std::size_t>(options_.part_bytes_max, room);
    const TransferEncoding encoding =
        effective_encoding(part.encoding, part.raw_body, options_.compat);
    if (is_encoded(encoding) && !meter_.spend(part.raw_body.size(), kStepsADecodedByte)) return;
    std::optional<std::string> decoded = decode_body(part.raw_body, encoding, limit);
    if (!decoded) {
      part.body = part.raw_body.substr(0, options_.part_bytes_max);
    } else {
      decoded_bytes_ += decoded->size();
      if (decoded->size() == room && room > 0) mail_.add_missing("decoded size limit reached");
      part.body = mail_.decoded.emplace_back(std::move(*decoded));
    }
    if (part.body.size() >= options_.part_bytes_max) mail_.add_defect("part size limit reached");
  }

  const MimeOptions& options_;
  WorkMeter& meter_;
  const std::size_t bytes_max_;  ///< the size of the message, a limit for its parts
  std::deque<Source> sources_;   ///< addresses are stable
  std::deque<Scope> scopes_;     ///< addresses are stable
  std::vector<Frame> frames_;
  Scope* pending_ = nullptr;  ///< a message whose root part comes next
  std::uint32_t walked_ = 0;  ///< parts, with empty ones
  std::size_t delimiters_ = 0;
  std::size_t decoded_bytes_ = 0;
  std::size_t signed_bytes_ = 0;  ///< contents of signed parts
  std::size_t name_bytes_ = 0;
  std::size_t leftover_bytes_ = 0;
  Mail mail_;
};

}  // namespace

Mail scan_message(std::string_view message, const MimeOptions& options, WorkMeter& meter) {
  return Scanner(message, options, meter).run();
}

}  // namespace shingled::mime
