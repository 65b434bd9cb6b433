#include "mime/cms/signed_data.h"

#include <libtasn1.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

// The bytes of object identifiers: 1.2.840.113549.1.7.1 and .2.
constexpr std::string_view kDataType = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"sv;
constexpr std::string_view kSignedDataType = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"sv;

/// Lists of algorithms have fewer levels.
constexpr std::size_t kSkippedDepthMax = 32;

/// The beginning of a BER element.
struct Header {
  unsigned char tag_class = 0;
  bool constructed = false;
  unsigned long tag = 0;
  std::optional<std::size_t> size;  ///< of its content; missing if an end mark follows it

  [[nodiscard]] bool is(unsigned char wanted_class, unsigned long wanted_tag) const {
    return tag_class == wanted_class && tag == wanted_tag;
  }
  [[nodiscard]] bool is_end_mark() const { return is(ASN1_CLASS_UNIVERSAL, 0) && size == 0U; }
};

/// Takes a header off `rest`; nullopt unless the whole element is in there.
std::optional<Header> take_header(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const auto* bytes = reinterpret_cast<const unsigned char*>(rest.data());
  const int size = static_cast<int>(rest.size());  // read_signed_data() takes no more
  Header header;
  int tag_bytes = 0;
  int length_bytes = 0;
  if (::asn1_get_tag_der(bytes, size, &header.tag_class, &tag_bytes, &header.tag) != ASN1_SUCCESS ||
      tag_bytes >= size) {
    return std::nullopt;
  }
  header.constructed = (header.tag_class & ASN1_CLASS_STRUCTURED) != 0;
  header.tag_class &= ASN1_CLASS_PRIVATE;
  const long length = ::asn1_get_length_der(bytes + tag_bytes, size - tag_bytes, &length_bytes);
  if (length < -1 || (length == -1 && !header.constructed)) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(tag_bytes + length_bytes));
  if (length >= 0) header.size = static_cast<std::size_t>(length);
  if (header.size.value_or(0) > rest.size()) return std::nullopt;
  return header;
}

/// Goes into the next element of `rest` if it is such a one. Without a length the rest is left to
/// its content.
bool enter(std::string_view& rest, unsigned char tag_class, unsigned long tag) {
  const std::optional<Header> header = take_header(rest);
  if (!header || !header->constructed || !header->is(tag_class, tag)) return false;
  rest = rest.substr(0, header->size.value_or(rest.size()));
  return true;
}

std::optional<std::string_view> take_object_id(std::string_view& rest) {
  const std::optional<Header> header = take_header(rest);
  if (!header || header->constructed || !header->is(ASN1_CLASS_UNIVERSAL, ASN1_TAG_OBJECT_ID)) {
    return std::nullopt;
  }
  const std::string_view id = rest.substr(0, *header->size);
  rest.remove_prefix(id.size());
  return id;
}

bool skip_element(std::string_view& rest) {
  std::size_t depth = 0;  // of elements without a length
  do {
    const std::optional<Header> header = take_header(rest);
    if (!header) return false;
    if (!header->size) {
      if (++depth > kSkippedDepthMax) return false;
    } else if (header->is_end_mark()) {
      if (depth-- == 0) return false;
    } else {
      rest.remove_prefix(*header->size);
    }
  } while (depth > 0);
  return true;
}

/// Puts the pieces of an octet string together.
class OctetString {
 public:
  OctetString(std::string_view rest, std::string& storage) : rest_(rest), storage_(storage) {}

  /// nullopt if it is malformed.
  std::optional<std::string_view> read() {
    do {
      if (depth_ > 0 && behind_[depth_ - 1] == rest_.size()) {
        --depth_;
      } else if (!take_element()) {
        return std::nullopt;
      }
    } while (depth_ > 0);
    return stored_ ? std::string_view(storage_) : first_;
  }

 private:
  bool take_element() {
    const std::size_t behind_all = depth_ > 0 ? behind_of(depth_) : 0;
    const std::optional<Header> header = take_header(rest_);
    if (!header || rest_.size() < behind_all) return false;
    if (header->is_end_mark()) {
      const bool expected = depth_ > 0 && !behind_[depth_ - 1];
      if (expected) --depth_;
      return expected;
    }
    const std::size_t size = header->size.value_or(0);
    if (!header->is(ASN1_CLASS_UNIVERSAL, ASN1_TAG_OCTET_STRING) ||
        size > rest_.size() - behind_all) {
      return false;
    }
    if (header->constructed) return open(header->size);
    add(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return true;
  }

  bool open(std::optional<std::size_t> size) {
    if (depth_ == behind_.size()) return false;
    behind_[depth_++] = size ? std::optional(rest_.size() - *size) : std::nullopt;
    return true;
  }

  /// How many bytes follow the innermost of `depth` elements that has a length.
  [[nodiscard]] std::size_t behind_of(std::size_t depth) const {
    while (depth > 0 && !behind_[depth - 1]) --depth;
    return depth > 0 ? *behind_[depth - 1] : 0;
  }

  /// Most contents are one piece, which need not be copied.
  void add(std::string_view piece) {
    if (piece.empty()) return;
    if (!stored_ && first_.empty()) {
      first_ = piece;
      return;
    }
    if (!stored_) storage_ = first_;
    stored_ = true;
    storage_ += piece;
  }

  std::string_view rest_;
  std::string& storage_;
  std::string_view first_;
  bool stored_ = false;
  /// How many bytes follow each open element; nullopt if an end mark ends it.
  std::array<std::optional<std::size_t>, kOctetStringDepthMax> behind_{};
  std::size_t depth_ = 0;
};

}  // namespace

SignedData read_signed_data(std::string_view cms, std::string& storage) {
  using Kind = SignedData::Kind;
  constexpr std::size_t kBytesMax = std::numeric_limits<int>::max();
  std::string_view rest = cms.substr(0, kBytesMax);
  // A structure that is cut off is known by the names at its beginning.
  const bool named = cms.substr(0, 64).find(kSignedDataType) != std::string_view::npos;
  const SignedData broken{.kind = named ? Kind::kBroken : Kind::kOther, .content = {}};
  if (!enter(rest, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SEQUENCE)) return broken;
  if (take_object_id(rest) != kSignedDataType) return {};
  if (!enter(rest, ASN1_CLASS_CONTEXT_SPECIFIC, 0) ||
      !enter(rest, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SEQUENCE) ||
      !skip_element(rest) ||  // the version
      !skip_element(rest) ||  // the algorithms
      !enter(rest, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SEQUENCE)) {
    return broken;
  }
  const std::optional<std::string_view> type = take_object_id(rest);
  if (!type) return broken;
  // Without content (certificates only, a signature apart from its text) nothing more is in it.
  if (*type != kDataType || rest.empty() || rest.starts_with("\0\0"sv)) return {};
  if (!enter(rest, ASN1_CLASS_CONTEXT_SPECIFIC, 0)) return broken;
  const auto content = OctetString(rest, storage).read();
  if (!content) return broken;
  return {.kind = Kind::kSigned, .content = *content};
}

}  // namespace shingled::mime
