#pragma once

namespace shingled {

/// Has the memory fetch the cache line of `address`, to be read soon. It is a hint: nothing is
/// read, so the address may be anywhere.
/// Threads: any thread.
/// Cost:    about a nanosecond, without waiting.
inline void prefetch_line(const void* address) {
  __builtin_prefetch(address);
  // g++ 12 takes a function that only reads and prefetches for one without effects, and drops the
  // calls of it; an empty statement of the assembler is an effect.
  asm volatile("" : : "r"(address));
}

}  // namespace shingled
