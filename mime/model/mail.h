#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A header field of the message. `value` is still folded and encoded, without the blanks after the
/// colon and the final line break.
struct HeaderField {
  std::string_view name;
  std::string_view value;
  friend bool operator==(const HeaderField&, const HeaderField&) = default;
};

/// A Content-Type and the parameters that we use. Names are in lower case, values as written.
struct MediaType {
  std::string type = "text";
  std::string subtype = "plain";
  std::string charset;
  std::string boundary;
  std::string name;    ///< a file name, in its old place
  bool named = false;  ///< there was a name, maybe an empty one
  friend bool operator==(const MediaType&, const MediaType&) = default;
};

/// Content-Disposition.
struct Disposition {
  enum class Kind : std::uint8_t {
    kNone,
    kInline,
    kAttachment,
    kOther  ///< an unknown word: treated as an attachment (RFC 2183 2.8)
  };
  Kind kind = Kind::kNone;
  std::string file_name;
  /// The name in a field without a word for the kind. Mail programs show it, but rspamd does not
  /// count it, so it makes no attachment.
  std::string bare_name;
  friend bool operator==(const Disposition&, const Disposition&) = default;
};

enum class TransferEncoding : std::uint8_t {
  kMissing,  ///< missing or unknown: the body is taken as it is
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
  std::uint32_t number = 0;             ///< position in the walk from 0, empty parts counted
  std::uint32_t depth = 0;
  std::uint32_t children = 0;  ///< empty ones counted
  MediaType type;
  bool type_declared = false;  ///< there was a usable Content-Type
  Disposition disposition;
  bool has_content_id = false;
  bool holds_signed = false;  ///< what was signed in it is its child
  /// rspamd does not see this part, so it has no hashes that are compatible.
  bool foreign_to_rspamd = false;
  TransferEncoding encoding = TransferEncoding::kMissing;
  std::string_view raw_body;  ///< as sent, up to the delimiter; with its line break
  std::string_view body;      ///< decoded; empty for a multipart

  [[nodiscard]] bool is_multipart() const { return type.type == "multipart"; }
  /// message/delivery-status and the like, which are texts although their type is message.
  [[nodiscard]] bool is_report() const;
  /// Whether its body is a message: message/rfc822, message/partial, ...
  [[nodiscard]] bool is_message() const { return type.type == "message" && !is_report(); }
  /// Whether its type says that it is a signed or encrypted message (S/MIME, RFC 8551).
  [[nodiscard]] bool is_labelled_signed() const;
  /// Whether a reader sees it as an attachment.
  [[nodiscard]] bool is_attached() const;
  [[nodiscard]] std::string_view file_name() const;
  /// The same, or else the bare name: what a reader sees.
  [[nodiscard]] std::string_view shown_name() const;
};

/// Adds a fixed phrase to a list of defects, unless it is there already.
void add_once(std::vector<std::string>& defects, std::string_view defect);

/// A message as a value: its parts in pre-order, without empty ones. Movable but not copyable, as
/// `parts` has views into `decoded`.
struct Mail {
  Mail() = default;
  Mail(Mail&&) = default;
  Mail& operator=(Mail&&) = default;
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;
  ~Mail() = default;

  std::vector<MailPart> parts;
  std::string_view subject;          ///< of the message itself, folded and encoded; may be empty
  std::deque<std::string> decoded;   ///< bodies that were encoded; addresses are stable
  bool incomplete = false;           ///< a limit was reached, so parts may be missing
  std::vector<std::string> defects;  ///< fixed phrases, each once, in the order found

  void add_defect(std::string_view defect) { add_once(defects, defect); }
  /// Adds a defect that hides parts.
  void add_missing(std::string_view defect) {
    incomplete = true;
    add_defect(defect);
  }
};

}  // namespace shingled::mime
