#pragma once

/// What clang's -Wthread-safety checks: which lock guards which member, and which function wants it
/// held. Other compilers see nothing. The names are those of clang's manual ("Thread Safety
/// Analysis").
#if defined(__clang__)
#define SHINGLED_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define SHINGLED_THREAD_ATTRIBUTE(attribute)
#endif

// Of classes: a lock, and what holds one from construction to destruction.
#define SHINGLED_CAPABILITY(kind) SHINGLED_THREAD_ATTRIBUTE(capability(kind))
#define SHINGLED_SCOPED_CAPABILITY SHINGLED_THREAD_ATTRIBUTE(scoped_lockable)

// Of members: read and changed only with the lock held.
#define SHINGLED_GUARDED_BY(lock) SHINGLED_THREAD_ATTRIBUTE(guarded_by(lock))

// Of functions: the caller holds the lock.
#define SHINGLED_REQUIRES(...) SHINGLED_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))

// Of functions: they take or release it. Without an argument it is `this`.
#define SHINGLED_ACQUIRE(...) SHINGLED_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define SHINGLED_ACQUIRE_SHARED(...) \
  SHINGLED_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define SHINGLED_RELEASE(...) SHINGLED_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define SHINGLED_RELEASE_SHARED(...) \
  SHINGLED_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
/// The first argument is what the function returns when it has taken it.
#define SHINGLED_TRY_ACQUIRE(...) SHINGLED_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))

/// A function that the analysis cannot follow; say why beside it.
#define SHINGLED_NO_THREAD_SAFETY_ANALYSIS SHINGLED_THREAD_ATTRIBUTE(no_thread_safety_analysis)
