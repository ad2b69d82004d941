#include "train/training_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/files.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

// The directories on the way to `path`, and itself, that do not exist; outermost first.
std::vector<std::string> missing_directories(const std::string& path) {
  std::vector<std::string> missing;
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    if (const std::string part = path.substr(0, end); !exists(part)) missing.push_back(part);
  }
  return missing;
}

// Whether the open file still has this name. If not, the run that held it before has removed it.
bool has_name(int descriptor, const std::string& path) {
  struct stat file = {}, named = {};
  return ::fstat(descriptor, &file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         file.st_dev == named.st_dev && file.st_ino == named.st_ino;
}

// The lock file, opened and locked; -1 where another process holds it.
int locked_file(const std::string& path) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) throw UserError("{}: {}", path, std::strerror(errno));
    const bool held = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!held && has_name(descriptor, path)) return descriptor;
    ::close(descriptor);
    if (held) return -1;
  }
}

}  // namespace

TrainingDirectory::TrainingDirectory(const std::string& path)
    : lock_(path + "/lock"), made_(missing_directories(path)) {
  try {
    make_directory(path);
    descriptor_ = locked_file(lock_);
    if (descriptor_ < 0) throw UserError("--out: another training run is active in {}", path);
    remove_temporaries(path);
    remove_temporaries(path + "/average");
  } catch (...) {
    leave();
    throw;
  }
}

TrainingDirectory::~TrainingDirectory() { leave(); }

void TrainingDirectory::leave() const {
  if (descriptor_ >= 0) {
    struct stat status = {};
    const bool own = ::fstat(descriptor_, &status) == 0 && status.st_size == 0;
    if (own) ::unlink(lock_.c_str());  // a file that is not empty is not our lock
    ::close(descriptor_);
  }
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) ::rmdir(made->c_str());
}

}  // namespace xf
