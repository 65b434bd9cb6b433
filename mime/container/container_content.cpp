#include "mime/container/container_content.h"

#include <algorithm>

#include "mime/container/package_parts.h"

namespace shingled::mime {

namespace {

/// "./a" of a tar is "a" of a zip.
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

std::string container_content(const Container& container) {
  std::string content;
  append_content(container, content);
  return content;
}

}  // namespace shingled::mime
