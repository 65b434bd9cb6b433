#include "storage/engine/pages.h"

#include <sys/mman.h>

#include <new>

namespace shingled::storage {

Pages::Pages(std::size_t bytes)
    : data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
      bytes_(bytes) {
  if (data_ == MAP_FAILED) {
    data_ = nullptr;
    throw std::bad_alloc();
  }
}

Pages::~Pages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace shingled::storage
