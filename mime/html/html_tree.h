#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/html/element_table.h"
#include "mime/html/html_tokenizer.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Number of an element in HtmlTree::elements.
using ElementIndex = std::uint32_t;
inline constexpr ElementIndex kNoElement = 0xFFFFFFFF;

/// Number of an element name; the same name has the same number.
using NameId = std::uint32_t;

/// Comments and closing tags without an open element are in the tree, too, so that they are not
/// printed as text.
enum class ElementRole : std::uint8_t { kElement, kClosingTag, kComment };

/// A stretch of markup in the document: `<name ...>` content `</name>`, as offsets.
///
///   <p>some text</p>
///   ^  ^        ^   ^
///   |  |        |   close_end
///   |  content  close_start
///   tag_start
struct Element {
  const ElementInfo* info = nullptr;  ///< nullptr for unknown names and comments
  NameId name = 0;
  std::size_t tag_start = 0;
  std::size_t content = 0;
  std::size_t close_start = 0;  ///< equals content, like close_end, if never closed
  std::size_t close_end = 0;
  ElementIndex parent = kNoElement;
  ElementIndex first_child = kNoElement;
  ElementIndex last_child = kNoElement;
  ElementIndex next_sibling = kNoElement;
  std::uint32_t attributes_begin = 0;  ///< in HtmlTree::attributes
  std::uint32_t attributes_end = 0;
  ElementRole role = ElementRole::kElement;
  bool unprinted = false;      ///< with its content: the head and elements that belong there
  bool closed_by_tag = false;  ///< closed by its own tag
  bool implicit = false;       ///< the html element, if the document has none
  bool opens_head = false;     ///< the first sign that the document has a head
  bool in_head = false;        ///< begins in the head, before the body

  [[nodiscard]] bool is(std::string_view wanted) const {
    return info != nullptr && info->name == wanted;
  }
};

/// The elements of a document in document order, parents before children. Has views of the
/// document.
struct HtmlTree {
  std::vector<Element> elements;
  std::vector<Attribute> attributes;
  ElementIndex root = kNoElement;
  bool starts_as_text = false;  ///< text before the first tag is inside the root, too
  std::size_t overflow_at = std::string_view::npos;  ///< offset where the element limit was reached

  /// An attribute, or nullptr. Of repeated attributes the first counts, but the last style.
  [[nodiscard]] const Attribute* attribute(const Element& element, AttributeName name) const;
};

/// The name in the tag of `element` as it is written in `html`; empty for markup without one.
std::string_view written_name(std::string_view html, const Element& element);

/// The first attribute of that name in the tag, as written; it may be one that is not in the tree.
std::optional<std::string_view> written_attribute(std::string_view html, const Element& element,
                                                  std::string_view name);

/// An attribute as a browser reads it: of repeated ones the first.
std::optional<std::string> browser_attribute(const HtmlTree& tree, std::string_view html,
                                             const Element& element, AttributeName name,
                                             std::size_t bytes_max);

/// Builds the tree of a document like rspamd (HASHING.md 7.2).
/// Threads: stateless.
/// Cost: linear in the input.
HtmlTree build_html_tree(std::string_view html, std::uint32_t elements_max, Compat compat,
                         WorkMeter& meter);

}  // namespace shingled::mime
