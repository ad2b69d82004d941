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

// The last `count` checkpoints of a training run, in <directory>/average, to be averaged. One more
// is kept until the next one exists: a run that is killed between a snapshot and its checkpoint
// resumes from the previous checkpoint, and still finds the snapshots of that one. With a count of
// 1 there is nothing to average, and there are no files.
class Snapshots {
 public:
  Snapshots(const std::string& directory, int count);

  // A fresh run deletes everything that an earlier one has left.
  void clear() const;
  // The update numbers of the snapshots that the next mean may include: "300 600".
  std::string needed() const;
  // Restores the state after `update`, when needed() was `needed`. Throws UserError naming the file
  // of a snapshot that has been deleted or damaged since, because the mean would differ.
  void restore(int update, const std::string& needed);
  void add(int update, const std::vector<NamedParameter>& parameters);

  // Sets the model to the mean of the snapshots, or to the last one if that is better (while the
  // loss still falls fast, the mean lags behind). loss() computes the loss of the current model;
  // returns the lower of the two.
  double load_better(const std::vector<NamedParameter>& parameters,
                     const std::function<double()>& loss) const;
  // Sets the model back to the last snapshot; does nothing if there is none.
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
