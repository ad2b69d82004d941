#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace xf {

// Sets every parameter to its mean over several files of the same model (checkpoint averaging,
// Vaswani et al. 2017, 6.1). Throws UserError when a file does not fit; then nothing has changed.
void load_average(const std::vector<std::string>& paths,
                  const std::vector<NamedParameter>& parameters);

// The last `count` checkpoints of a training, in <directory>/average, for their mean. One more is
// kept until the next one exists: a run that is killed between a snapshot and its checkpoint
// resumes from the checkpoint before, and finds the snapshots of that one. With a count of 1 there
// is nothing to average, and no file.
class Snapshots {
 public:
  Snapshots(const std::string& directory, int count);

  // A fresh run deletes everything of an earlier one.
  void clear() const;
  // The updates of the snapshots that the next mean may include: "300 600".
  std::string needed() const;
  // Restores the state after `update`, when needed() was `needed`. Throws UserError naming the
  // file of one that has been deleted since: the mean would differ.
  void restore(int update, const std::string& needed);
  void add(int update, const std::vector<NamedParameter>& parameters);

  // The model becomes the mean of the snapshots, or the last one where that is better (while the
  // loss still falls fast, the mean lags behind). loss() is that of the current model; returns
  // the lower one.
  double load_better(const std::vector<NamedParameter>& parameters,
                     const std::function<double()>& loss) const;
  // The model becomes the last snapshot again, and stays as it is where there is none.
  void load_last(const std::vector<NamedParameter>& parameters) const;

 private:
  std::string path(int update) const;
  // The newest ones, at most count_.
  std::vector<int> newest() const;

  std::string directory_;
  std::ptrdiff_t count_;
  std::deque<int> updates_;  // of the existing ones, oldest first
};

}  // namespace xf
