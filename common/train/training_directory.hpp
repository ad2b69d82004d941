#pragma once

#include <string>
#include <vector>

namespace xf {

// The directory that a training run writes to. It exists and is locked as long as this object
// lives: it contains a file `lock` with a lock (flock), which is released when the process ends,
// for whatever reason. On a file system without locks, the directory is not locked.
class TrainingDirectory {
 public:
  // Makes the directory where there is none, and removes half-written files of a killed run. Throws
  // UserError naming the directory when another training holds it.
  explicit TrainingDirectory(const std::string& path);
  // Removes the lock, and the directory if it was made here and is still empty.
  ~TrainingDirectory();
  TrainingDirectory(const TrainingDirectory&) = delete;
  TrainingDirectory& operator=(const TrainingDirectory&) = delete;

 private:
  void leave() const;

  std::string lock_;
  std::vector<std::string> made_;  // directories created here, outermost first
  int descriptor_ = -1;
};

}  // namespace xf
