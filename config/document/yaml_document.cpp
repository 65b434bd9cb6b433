#include "config/document/yaml_document.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstdint>
#include <istream>
#include <optional>
#include <streambuf>
#include <string_view>
#include <utility>

#include "config/base/ascii.h"
#include "config/base/hex.h"
#include "config/base/utf8.h"

namespace shingled::config {

namespace {

constexpr std::string_view kTooDeep = "nested deeper than 32 levels";
static_assert(kYamlDepthMax == 32, "said in the text");
constexpr std::string_view kNoAlias =
    "an alias (*name) is not supported; put a text that starts with * in quotes";

/// A problem of the text as a whole.
struct Complaint {
  Position position;
  std::string what;
};

/// Builds the tree from the events of the parser. Unlike YAML::Node, events have the position of
/// every key, keep duplicates, and cost nothing per alias.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const Position& start) : text_(text), start_(start) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    put(node(YamlNode::Kind::kNull, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    complain(at(mark), std::string(kNoAlias));
    put(node(YamlNode::Kind::kNull, mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    const bool plain = tag == "?";
    const bool null =
        plain && (value == "~" || value == "null" || value == "Null" || value == "NULL");
    YamlNode scalar = node(null ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar, mark);
    scalar.text = value;
    if (!null) scalar.steps = scalar_steps(text_, offset_of(mark), scalar.position, value);
    put(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    open(node(YamlNode::Kind::kList, mark));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(node(YamlNode::Kind::kMap, mark));
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] Position at(const YAML::Mark& mark) const {
    if (mark.is_null()) return start_;
    Position position = start_;
    if (start_.origin == Position::Origin::kFile) position.line += mark.line;
    position.column = mark.line == 0 ? start_.column + mark.column : mark.column + 1;
    return position;
  }
  [[nodiscard]] const std::optional<Complaint>& complaint() const { return complaint_; }
  /// The beginning of the innermost collection that is not closed yet.
  [[nodiscard]] Position innermost() const {
    return open_.empty() ? start_ : open_.back().node.position;
  }
  YamlNode take() { return std::move(root_); }

 private:
  struct Frame {
    YamlNode node;
    std::optional<YamlNode> key;  ///< of a map: read, its value is still to come
  };

  [[nodiscard]] YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode out;
    out.kind = kind;
    out.position = at(mark);
    return out;
  }

  /// The parser does not count a byte order mark.
  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const std::size_t skipped = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    return mark.is_null() ? text_.size() : static_cast<std::size_t>(mark.pos) + skipped;
  }

  void complain(const Position& position, std::string what) {
    if (!complaint_) complaint_ = Complaint{position, std::move(what)};
  }

  void open(YamlNode collection) {
    if (open_.size() >= kYamlDepthMax) {
      complain(collection.position, std::string(kTooDeep));
      ++too_deep_;
      return;
    }
    open_.push_back({std::move(collection), {}});
  }

  void close() {
    YamlNode done;
    if (too_deep_ > 0) {
      // The innermost collection that is kept gets a null instead of a value that is too deep.
      if (--too_deep_ > 0) return;
    } else {
      done = std::move(open_.back().node);
      open_.pop_back();
    }
    put(std::move(done));
  }

  void put(YamlNode value) {
    if (too_deep_ > 0) return;
    if (++nodes_ > kYamlNodesMax) {
      complain(value.position, "more than " + std::to_string(kYamlNodesMax) + " values");
      if (!open_.empty()) return;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kList) {
      parent.node.items.push_back(std::move(value));
    } else if (!parent.key) {
      const bool collection =
          value.kind == YamlNode::Kind::kList || value.kind == YamlNode::Kind::kMap;
      if (collection) complain(value.position, "a list or a map cannot be a key");
      parent.key = std::move(value);
    } else {
      value.key = std::move(parent.key->text);
      value.key_position = parent.key->position;
      parent.key.reset();
      parent.node.items.push_back(std::move(value));
    }
  }

  std::string_view text_;
  Position start_;
  YamlNode root_;
  std::vector<Frame> open_;
  std::size_t too_deep_ = 0;  ///< collections open beyond the limit
  std::size_t nodes_ = 0;
  std::optional<Complaint> complaint_;
};

/// Gives a text to an istream without a copy.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

/// The first byte no YAML text can have. The parser does not look: it replaces bad UTF-8 in
/// silence and ends the file at a control byte.
std::optional<Complaint> find_bad_byte(std::string_view text, const Position& start) {
  Position here = start;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto letter = first_utf8_letter(text.substr(i));
    if (!letter) return Complaint{here, "not UTF-8"};
    const bool control =
        (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
    if (control) return Complaint{here, "a control byte; allowed: printable text, tab, line ends"};
    if (byte == '\n') {
      if (start.origin == Position::Origin::kFile) ++here.line;
      here.column = 0;
    }
    here.column += static_cast<int>(letter->bytes);
    i += letter->bytes;
  }
  return std::nullopt;
}

/// Where to look for the reason. A collection that is never closed is reported where it opens; the
/// parser would name the end of the file.
Position place_of(const YAML::Exception& failure, const TreeBuilder& builder) {
  const bool unclosed = failure.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW ||
                        failure.msg == YAML::ErrorMsg::END_OF_MAP_FLOW;
  return unclosed ? builder.innermost() : builder.at(failure.mark);
}

/// The first tab in the indentation of a line, up to the line of a failure: YAML only allows blanks
/// there, and the message of the parser does not help.
std::optional<Position> find_tab(std::string_view text, const Position& failure,
                                 const Position& start) {
  if (start.origin != Position::Origin::kFile) return std::nullopt;
  for (int line = start.line; line <= failure.line && !text.empty(); ++line) {
    const std::string_view here = text.substr(0, text.find('\n'));
    const std::size_t first = here.find_first_not_of(' ');
    const bool names_key = here.find(':') != std::string_view::npos;  // tabs may follow in a list
    if (first != std::string_view::npos && here[first] == '\t' && names_key) {
      return Position{Position::Origin::kFile, line, static_cast<int>(first) + 1};
    }
    text.remove_prefix(std::min(here.size() + 1, text.size()));
  }
  return std::nullopt;
}

/// A hint for an override whose YAML means something unexpected.
std::string hint(const Position& start) {
  return start.origin == Position::Origin::kOverride
             ? "; put a value with special characters in quotes"
             : "";
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  if (kind != Kind::kMap) return nullptr;
  const auto it = std::find_if(items.begin(), items.end(),
                               [&](const YamlNode& item) { return item.key == name; });
  return it == items.end() ? nullptr : &*it;
}

YamlNode* YamlNode::find(std::string_view name) {
  return const_cast<YamlNode*>(std::as_const(*this).find(name));
}

std::string_view hint_of_ucl(std::string_view text) {
  const bool assigns =
      text.find(" = ") != std::string_view::npos || text.find(';') != std::string_view::npos;
  const bool opens = text.find('{') != std::string_view::npos;
  return assigns || opens ? "; this is not YAML but looks like UCL, rspamd's language: write "
                            "'key: value' on a line of its own, and sections by indentation"
                          : "";
}

std::optional<YamlNode> parse_yaml(std::string_view text, const Position& start,
                                   std::string_view key, Diagnostics& diagnostics) {
  if (text.size() > kYamlBytesMax) {
    Position whole = start;
    if (start.origin == Position::Origin::kFile) whole.line = whole.column = 0;
    diagnostics.add(whole, key, "larger than 4M");
    return std::nullopt;
  }
  if (const auto bad = find_bad_byte(text, start)) {
    diagnostics.add(bad->position, key, bad->what);
    return std::nullopt;
  }
  TreeBuilder builder(text, start);
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.take();
    TreeBuilder second(text, start);
    if (parser.HandleNextDocument(second)) {
      diagnostics.add(second.take().position, key,
                      "a second YAML document; allowed: one" + hint(start));
    }
    if (const auto& complaint = builder.complaint()) {
      diagnostics.add(complaint->position, key, complaint->what);
    }
    return root;
  } catch (const YAML::DeepRecursion& failure) {  // its own message says "bad file"
    diagnostics.add(builder.at(failure.mark), key, kTooDeep);
  } catch (const YAML::Exception& failure) {
    const bool alias = failure.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR);
    const Position where = place_of(failure, builder);
    if (const auto tab = find_tab(text, where, start)) {
      diagnostics.add(*tab, key, "not valid YAML: a tab before a key; allowed: blanks");
    } else {
      diagnostics.add(
          where, key,
          alias ? std::string(kNoAlias) : "not valid YAML: " + failure.msg + hint(start));
    }
  } catch (const std::exception& failure) {
    diagnostics.add(start, key, std::string("not valid YAML: ") + failure.what());
  }
  return std::nullopt;
}

namespace {

/// Whether a text needs no quotes, also inside a list.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return false;
  const bool negative = text.front() == '-' && text.size() > 1 && ascii::is_digit(text[1]);
  return (ascii::is_alnum(text.front()) || text.front() == '/' || text.front() == '_' ||
          negative) &&
         ascii::is_word(text, text.size(), "_.-/+@");
}

std::string quoted_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\x";
      append_hex(out, static_cast<std::uint8_t>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::string flow_text(const YamlNode& node) {
  const bool map = node.kind == YamlNode::Kind::kMap;
  if (node.kind == YamlNode::Kind::kNull) return "null";
  if (node.kind == YamlNode::Kind::kScalar) return quoted_text(node.text);
  std::string out = map ? "{" : "[";
  for (const YamlNode& item : node.items) {
    if (&item != &node.items.front()) out += ", ";
    if (map) out += quoted_text(item.key) + ": ";
    out += flow_text(item);
  }
  return out + (map ? '}' : ']');
}

}  // namespace shingled::config
