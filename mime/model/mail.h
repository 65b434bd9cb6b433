#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// One header field as it stands in the message: `value` still folded and encoded, without the
/// blanks after the colon and the final line break.
struct HeaderField {
  std::string_view name;
  std::string_view value;
  friend bool operator==(const HeaderField&, const HeaderField&) = default;
};

/// Content-Type with what we use of its parameters. Names are lower case, values as written.
struct MediaType {
  std::string type = "text";
  std::string subtype = "plain";
  std::string charset;
  std::string boundary;
  std::string name;    ///< the old place of a file name
  bool named = false;  ///< it was there, if only as ""
  friend bool operator==(const MediaType&, const MediaType&) = default;
};

/// Content-Disposition.
struct Disposition {
  enum class Kind : std::uint8_t {
    kNone,
    kInline,
    kAttachment,
    kOther  ///< an unknown word: for a reader an attachment (RFC 2183 2.8)
  };
  Kind kind = Kind::kNone;
  std::string file_name;
  friend bool operator==(const Disposition&, const Disposition&) = default;
};

enum class TransferEncoding : std::uint8_t {
  kMissing,  ///< no field, or one we do not know: the body is taken as it is
  k7bit,
  k8bit,
  kBinary,
  kQuotedPrintable,
  kBase64,
  kUuencode
};

/// A node of the MIME tree. All views point into the message or into Mail::decoded.
struct MailPart {
  std::string path;                     ///< IMAP section number: "1.2"; "" is the top multipart
  std::optional<std::uint32_t> parent;  ///< index of the node above
  std::uint32_t number = 0;             ///< in the walk, empty parts counted, from 0
  std::uint32_t depth = 0;
  std::uint32_t children = 0;  ///< empty ones counted
  MediaType type;
  bool type_declared = false;  ///< a usable Content-Type was there
  Disposition disposition;
  bool has_content_id = false;
  TransferEncoding encoding = TransferEncoding::kMissing;
  std::string_view raw_body;  ///< exactly as sent: up to the delimiter, its line break included
  std::string_view body;      ///< decoded; empty for a multipart

  [[nodiscard]] bool is_multipart() const { return type.type == "multipart"; }
  /// message/delivery-status and the like: text for people, although of type message.
  [[nodiscard]] bool is_report() const;
  /// Its body is a message of its own: message/rfc822, message/partial, ...
  [[nodiscard]] bool is_message() const { return type.type == "message" && !is_report(); }
  /// For a reader, not a part of what is shown.
  [[nodiscard]] bool is_attached() const;
  [[nodiscard]] std::string_view file_name() const;
};

/// Adds a fixed phrase to a list of defects, once.
void note_once(std::vector<std::string>& defects, std::string_view defect);

/// A message as a value: its nodes in pre-order, those without a body left out.
/// Movable, not copyable: `parts` has views into `decoded`.
struct Mail {
  Mail() = default;
  Mail(Mail&&) = default;
  Mail& operator=(Mail&&) = default;
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;
  ~Mail() = default;

  std::vector<MailPart> parts;
  std::string_view subject;  ///< of the message itself: folded, encoded; empty if there is none
  std::deque<std::string> decoded;   ///< bodies that had a transfer encoding; addresses are stable
  bool incomplete = false;           ///< a bound was met: there may be parts that are not here
  std::vector<std::string> defects;  ///< fixed phrases, each once, in the order found

  void note(std::string_view defect) { note_once(defects, defect); }
  /// A defect that hides parts.
  void note_missing(std::string_view defect) {
    incomplete = true;
    note(defect);
  }
};

}  // namespace shingled::mime
