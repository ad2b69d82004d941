#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/collectives.hpp"
#include "language/language.hpp"

namespace xf {

// This program as one of several processes started by mpirun, mpiexec or srun, or as the only one.
// All other code reaches the other processes through this function.
Endpoint& everyone();
// Only process 0 prints, and only it writes files.
inline bool first_process() { return everyone().rank() == 0; }
inline bool several_processes() { return everyone().ranks() > 1; }
// "process 1 of 4, on node7"
Phrase name_of_process(int rank);

// While alive, everyone() is the group of processes that were started together. Those on one
// machine use different GPUs, if any. Standard output of all but process 0 is discarded. If a
// process is silent for 20 seconds, because it or its machine has stopped, all end, and `say` is
// given the message that says so. run_program() creates one of these.
class ProcessGroup {
 public:
  // Throws UserError if there are other processes but the program was built without MPI.
  explicit ProcessGroup(const std::function<void(const Phrase&)>& say);
  ~ProcessGroup();  // waits for the others
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
};
// Ends every process, because the others would wait for this one forever. Does nothing if there are
// no others.
void end_all(int exit_code);

// Checks that named values, as text, are equal in all processes. Throws UserError in every process,
// naming the first that differs from process 0.
void must_agree(const std::vector<std::pair<Phrase, std::string>>& named);
// A hash of this program's executable.
std::string build_of_program();

// Process 0's value, returned in every process; and whether `here` is true in any process.
double of_first(double number);
std::string of_first(const std::string& text);
bool in_any(bool here);

}  // namespace xf
