#include "mime/pieces/svg_text.h"

#include <algorithm>

#include "config/base/ascii.h"
#include "mime/html/entities.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kSvgHeadBytes = 1024;  ///< <svg> comes within, after a declaration
constexpr std::string_view kBlanks = " \t\r\n\f";

/// Reads the markup from front to back.
class SvgReader {
 public:
  explicit SvgReader(std::string_view rest) : rest_(rest) {}

  SvgText read() {
    while (!rest_.empty()) {
      const std::size_t open = std::min(rest_.find('<'), rest_.size());
      append_decoded(out_.text, take(open), Spaces::kKeep);
      if (rest_.starts_with("<!--")) {
        take_through("-->");
      } else if (rest_.starts_with("<![CDATA[")) {
        rest_.remove_prefix(std::string_view("<![CDATA[").size());
        out_.text += take(std::min(rest_.find("]]>"), rest_.size()));
        take_through(">");
      } else if (rest_.starts_with("<!") || rest_.starts_with("<?")) {
        take_through(">");
      } else if (!rest_.empty()) {
        read_tag();
      }
    }
    return std::move(out_);
  }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void take_through(std::string_view end) {
    const std::size_t at = rest_.find(end);
    take(at == std::string_view::npos ? rest_.size() : at + end.size());
  }
  void skip_blanks() { take(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }

  void read_tag() {
    take(1);
    const std::string_view name = take(std::min(rest_.find_first_of(" \t\r\n\f>"), rest_.size()));
    out_.text += '\n';  // elements are apart from each other
    bool is_closed = name.ends_with('/');
    while (true) {
      skip_blanks();
      if (rest_.empty() || rest_.front() == '<') return;
      if (rest_.front() == '>' || rest_.front() == '/') {
        if (take(1) == ">") break;
        is_closed = true;
        continue;
      }
      is_closed = false;
      read_attribute();
    }
    if (name == "style" && !is_closed) take(std::min(rest_.find("</style"), rest_.size()));
  }

  void read_attribute() {
    const std::string_view name =
        take(std::max<std::size_t>(std::min(rest_.find_first_of(" \t\r\n\f=>/"), rest_.size()), 1));
    skip_blanks();
    if (!rest_.starts_with('=')) return;
    take(1);
    skip_blanks();
    if (rest_.empty()) return;
    const char quote = rest_.front();
    std::string_view value;
    if (quote == '"' || quote == '\'') {
      take(1);
      value = take(std::min(rest_.find(quote), rest_.size()));
      take(1);
    } else {
      value = take(std::min(rest_.find_first_of(" \t\r\n\f>"), rest_.size()));
    }
    use(name.substr(name.rfind(':') + 1), value);
  }

  void use(std::string_view name, std::string_view value) {
    if (ascii::starts_with_ignoring_case(name, "on")) {  // onclick="location=..."
      append_decoded(out_.text, value, Spaces::kKeep);
      out_.text += '\n';
      return;
    }
    if (!ascii::equal_ignoring_case(name, "href") || out_.links.size() == kSvgLinksMax) return;
    std::string link;
    append_decoded(link, value, Spaces::kKeep);
    const bool inside = link.starts_with('#') || ascii::starts_with_ignoring_case(link, "data:");
    if (!inside && !link.empty()) out_.links.push_back(std::move(link));
  }

  std::string_view rest_;
  SvgText out_;
};

}  // namespace

bool is_svg(const MailPart& part) {
  if (part.is_multipart() || part.is_message()) return false;
  if (part.type.type == "image" && part.type.subtype.starts_with("svg")) return true;
  if (ascii::to_lower(part.file_name()).ends_with(".svg")) return true;
  const std::string_view head = ascii::trim_space(part.body.substr(0, kSvgHeadBytes));
  const bool xml = head.starts_with("<?xml") || head.starts_with("<!DOCTYPE svg");
  return head.starts_with("<svg") || (xml && head.find("<svg") != std::string_view::npos);
}

SvgText read_svg(std::string_view utf8) { return SvgReader(utf8).read(); }

}  // namespace shingled::mime
