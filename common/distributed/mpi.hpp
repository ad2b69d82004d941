#pragma once

#include <functional>
#include <memory>
#include <string>

#include "distributed/endpoint.hpp"

namespace xf {

// The processes of one mpirun, mpiexec or srun. All calls of MPI are in mpi.cpp.
class MpiEndpoint : public Endpoint {
 public:
  virtual int cores() const = 0;  // of this machine, its share of those that it may run on
  virtual int place() const = 0;  // among those on this machine
  virtual void leave() = 0;       // waits for the others; nothing may be sent any more
  [[noreturn]] virtual void end_all(int exit_code) = 0;
};

// Says that a process has been silent for this many seconds, before all end.
using LastWords = std::function<void(int rank, const std::string& seconds)>;

// Null unless several processes, or one by mpirun, were started.
std::unique_ptr<MpiEndpoint> join_others(const LastWords& say);

// The number of processes according to the launcher of this one; 0: there is no launcher.
// (Open MPI's mpirun, MPICH's and Intel's Hydra, and srun with PMIx or PMI set these.)
int processes_started();

}  // namespace xf
