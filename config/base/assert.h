#pragma once

namespace shingled {

/// Says on stderr which assertion failed, and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace shingled

/// Assertions are for our own bugs: what an invariant of ours excludes, never what mail, a peer, a
/// file or the disk may do. Those have a Result.
///
/// SHINGLED_ASSERT is on in every build, in what is installed too: it stands where one comparison
/// keeps a bug from writing wrong data to a file or outside of memory. The process ends, the
/// service manager starts it again, and nothing that was acknowledged is lost.
///
/// SHINGLED_DEBUG_ASSERT is off in release builds (NDEBUG): for hot paths and for checks that cost
/// more than a comparison. Its condition is compiled but not evaluated there.
#define SHINGLED_ASSERT(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::shingled::assertion_failed(#condition, __FILE_NAME__, __LINE__))

#ifdef NDEBUG
#define SHINGLED_DEBUG_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define SHINGLED_DEBUG_ASSERT(condition) SHINGLED_ASSERT(condition)
#endif
