// Writes hostile mail for scripts.
//   hostile_mail list [--why]      the kinds, one per line
//   hostile_mail KIND BYTES        a message of that kind on standard output
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/hostile/hostile_kinds.h"

namespace shingled::hostile {
namespace {

constexpr int kUsage = 64;

int list(bool why) {
  for (const HostileKind& kind : hostile_kinds()) {
    if (why) {
      std::printf("%-36s %s\n", kind.name.c_str(), kind.why.c_str());
    } else {
      std::puts(kind.name.c_str());
    }
  }
  return 0;
}

int write(std::string_view name, std::string_view size) {
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), bytes);
  const HostileKind* kind = find_kind(name);
  if (kind == nullptr || error != std::errc{} || end != size.data() + size.size()) {
    std::fprintf(
        stderr, "hostile_mail: %s\n",
        kind == nullptr ? "no such kind; `hostile_mail list` has all" : "no number of bytes");
    return kUsage;
  }
  const std::string message = kind->make(bytes);
  return std::fwrite(message.data(), 1, message.size(), stdout) == message.size() ? 0 : 1;
}

}  // namespace
}  // namespace shingled::hostile

int main(int argc, char** argv) {
  if (argc >= 2 && std::strcmp(argv[1], "list") == 0) {
    return shingled::hostile::list(argc > 2 && std::strcmp(argv[2], "--why") == 0);
  }
  if (argc == 3) return shingled::hostile::write(argv[1], argv[2]);
  std::fputs("usage: hostile_mail list [--why] | hostile_mail KIND BYTES\n", stderr);
  return shingled::hostile::kUsage;
}
