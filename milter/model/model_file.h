#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"
#include "milter/model/model.h"

namespace shingled::milter::model {

/// The version of the format of MODEL.md.
inline constexpr int kFormatVersion = 1;

/// A model as the text of its file. Sets its `id`.
/// Threads: stateless.
std::string text_of(Model& model);

/// Reads such a text, from anybody.
/// Errors:  kCorrupt, kLimit, kInvalid, as check_model(); kInvalid also for another version of the
///          format or of the features.
/// Threads: stateless.
Result<Model> model_of(std::string_view text);

/// Reads a model.
/// Errors:  also those of read_whole_file; each names the file.
Result<Model> read_model(const std::string& path);

/// The model before this one.
std::string file_before(const std::string& path);

/// Puts a model in the place of another one, which is kept as file_before(). There is always the
/// old one or the new one as a whole, also after a crash or on a full disk.
/// Errors:  kUnavailable, kDenied: then nothing has changed.
/// Threads: one process at a time (ModelLock).
Status publish_model(const std::string& path, Model& model);

/// Puts the model before it in the place of this one, and this one in the place of that.
/// Errors:  kNotFound: there is none before it; kCorrupt: it cannot be used; those of publish_model.
Status roll_back(const std::string& path);

/// Replaces a small file as a whole.
/// Errors:  kUnavailable, kDenied.
Status replace_file(const std::string& path, std::string_view text);

/// One process at a time trains, imports or rolls back.
/// Threads: one.
class ModelLock {
 public:
  /// Errors:  kUnavailable: another process has it, or the folder cannot be written.
  static Result<ModelLock> take(const std::string& path);
  ~ModelLock();
  ModelLock(ModelLock&& other) noexcept;
  ModelLock& operator=(ModelLock&&) = delete;
  ModelLock(const ModelLock&) = delete;
  ModelLock& operator=(const ModelLock&) = delete;

 private:
  explicit ModelLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace shingled::milter::model
