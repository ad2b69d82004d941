#pragma once

#include <functional>
#include <memory>
#include <string>

#include "distributed/endpoint.hpp"

namespace xf {

// The processes started by one mpirun, mpiexec or srun. All MPI calls are in mpi.cpp.
class MpiEndpoint : public Endpoint {
 public:
  virtual int cores() const = 0;  // its share of the cores available on this machine
  virtual int place() const = 0;  // its index among the processes of this machine
  virtual void leave() = 0;       // waits for the others; no messages after it
  [[noreturn]] virtual void end_all(int exit_code) = 0;
};

// Reports that a process has been silent for this many seconds, before all processes end.
using LastWords = std::function<void(int rank, const std::string& seconds)>;

// Null unless several processes were started, or a single one by mpirun.
std::unique_ptr<MpiEndpoint> join_others(const LastWords& say);

// The number of processes according to the launcher of this one; 0: there is no launcher.
// (Open MPI's mpirun, MPICH's and Intel's Hydra, and srun with PMIx or PMI set these.)
int processes_started();

}  // namespace xf
