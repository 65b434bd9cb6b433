#include "mime/container/container_content.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

constexpr std::array kOoxmlFolders = {"_rels/"sv,
                                      "docProps/"sv,
                                      "customXml/"sv,
                                      "word/_rels/"sv,
                                      "word/theme/"sv,
                                      "word/glossary/"sv,
                                      "xl/_rels/"sv,
                                      "xl/theme/"sv,
                                      "ppt/_rels/"sv,
                                      "ppt/theme/"sv,
                                      "ppt/slideMasters/"sv,
                                      "ppt/slideLayouts/"sv,
                                      "ppt/notesMasters/"sv,
                                      "ppt/handoutMasters/"sv};
constexpr std::array kOoxmlFiles = {
    "[Content_Types].xml"sv,  "word/styles.xml"sv,    "word/stylesWithEffects.xml"sv,
    "word/settings.xml"sv,    "word/fontTable.xml"sv, "word/webSettings.xml"sv,
    "word/numbering.xml"sv,   "xl/styles.xml"sv,      "xl/calcChain.xml"sv,
    "ppt/presentation.xml"sv, "ppt/presProps.xml"sv,  "ppt/viewProps.xml"sv,
    "ppt/tableStyles.xml"sv};
constexpr std::array kOdfFolders = {"META-INF/"sv, "Configurations2/"sv, "Thumbnails/"sv};
constexpr std::array kOdfFiles = {"mimetype"sv, "meta.xml"sv, "settings.xml"sv, "styles.xml"sv,
                                  "manifest.rdf"sv};

template <typename List>
bool is_one_of(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

template <typename List>
bool is_within(const List& folders, std::string_view name) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](std::string_view folder) { return name.starts_with(folder); });
}

bool is_boilerplate(PackageKind kind, std::string_view name) {
  switch (kind) {
    case PackageKind::kPlain:
      return false;
    case PackageKind::kOoxml:
      return is_one_of(kOoxmlFiles, name) || is_within(kOoxmlFolders, name) ||
             name.ends_with(".rels");
    case PackageKind::kOdf:
      return is_one_of(kOdfFiles, name) || is_within(kOdfFolders, name);
    case PackageKind::kJar:
      return name.starts_with("META-INF/") &&
             (name.ends_with(".MF") || name.ends_with(".SF") || name.ends_with(".RSA") ||
              name.ends_with(".DSA") || name.ends_with(".EC"));
  }
  return false;
}

/// The end of the tag that begins at `open`; a '>' in a quoted value does not end it.
std::size_t end_of_tag(std::string_view xml, std::size_t open) {
  char quote = '\0';
  for (std::size_t i = open; i < xml.size(); ++i) {
    if (quote != '\0') {
      if (xml[i] == quote) quote = '\0';
    } else if (xml[i] == '"' || xml[i] == '\'') {
      quote = xml[i];
    } else if (xml[i] == '>') {
      return i + 1;
    }
  }
  return xml.size();
}

/// `xml` without prolog, leading comments and the start tag of the root.
std::string_view after_root_tag(std::string_view xml) {
  std::size_t open = xml.find('<');
  while (open != std::string_view::npos) {
    const bool comment = xml.substr(open).starts_with("<!--");
    const bool prolog = open + 1 < xml.size() && (xml[open + 1] == '?' || xml[open + 1] == '!');
    const std::size_t comment_end = comment ? xml.find("-->", open) : 0;
    if (comment_end == std::string_view::npos) return xml;
    const std::size_t end = comment ? comment_end + 3 : end_of_tag(xml, open);
    if (!prolog) return xml.substr(end);
    open = xml.find('<', end);
  }
  return xml;
}

bool has_text(std::string_view xml) {
  bool in_tag = false;
  for (const char c : xml) {
    if (c == '<') in_tag = true;
    if (!in_tag && !ascii::is_space(c)) return true;
    if (c == '>') in_tag = false;
  }
  return false;
}

/// Footnotes, headers and the like: in every document, but mostly without text.
bool is_margin(std::string_view name) {
  constexpr std::array kMargins = {"word/footnotes"sv, "word/endnotes"sv, "word/comments"sv,
                                   "word/header"sv, "word/footer"sv};
  return is_within(kMargins, name);
}

/// The name to sort by: "./a" in a tar is "a" in a zip.
std::string_view order_name(const ContainerEntry& entry) {
  std::string_view name = entry.name;
  while (name.starts_with("./")) name.remove_prefix(2);
  return name;
}

std::vector<const ContainerEntry*> in_order(const Container& container) {
  std::vector<const ContainerEntry*> out;
  for (const ContainerEntry& entry : container.entries) out.push_back(&entry);
  std::sort(out.begin(), out.end(), [](const ContainerEntry* one, const ContainerEntry* other) {
    const int by_name = order_name(*one).compare(order_name(*other));
    return by_name != 0 ? by_name < 0 : one->bytes < other->bytes;
  });
  return out;
}

void append_content(const Container& container, std::string& content) {
  const PackageKind kind = package_kind(container);
  for (const ContainerEntry* entry : in_order(container)) {
    const std::string_view own = own_bytes(kind, entry->name, entry->bytes);
    if (own.empty()) continue;
    if (entry->inside.whole) {
      append_content(entry->inside, content);
    } else {
      content += own;
    }
  }
}

}  // namespace

PackageKind package_kind(const Container& container) {
  if (container.kind != ContainerKind::kZip) return PackageKind::kPlain;
  PackageKind kind = PackageKind::kPlain;
  for (const ContainerEntry& entry : container.entries) {
    if (entry.name == "[Content_Types].xml") return PackageKind::kOoxml;
    if (entry.name == "mimetype" && entry.bytes.starts_with("application/vnd.oasis.opendocument"))
      return PackageKind::kOdf;
    if (entry.name == "META-INF/MANIFEST.MF") kind = PackageKind::kJar;
  }
  return kind;
}

std::string_view own_bytes(PackageKind kind, std::string_view name, std::string_view bytes) {
  if (is_boilerplate(kind, name)) return {};
  const bool office = kind == PackageKind::kOoxml || kind == PackageKind::kOdf;
  if (!office || !name.ends_with(".xml")) return bytes;
  if (kind == PackageKind::kOdf && name == "content.xml") {
    const std::size_t body = bytes.find("<office:body");  // without fonts and automatic styles
    if (body != std::string_view::npos) return bytes.substr(body);
  }
  const std::string_view own = after_root_tag(bytes);
  return is_margin(name) && !has_text(own) ? std::string_view() : own;
}

std::string container_content(const Container& container) {
  std::string content;
  append_content(container, content);
  return content;
}

}  // namespace shingled::mime
