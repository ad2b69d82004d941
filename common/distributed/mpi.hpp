#pragma once

#include <functional>
#include <memory>
#include <string>

#include "distributed/endpoint.hpp"

namespace xf {

// The processes of one mpirun, mpiexec or srun. Every call of MPI stands in mpi.cpp.
class MpiEndpoint : public Endpoint {
 public:
  virtual int cores() const = 0;  // of this machine, its share of those that it may run on
  virtual int place() const = 0;  // among those on this machine
  virtual void leave() = 0;       // waits for the others; nothing may be sent any more
  [[noreturn]] virtual void end_all(int exit_code) = 0;
};

// Says that a process has been silent for so many seconds, before all end.
using LastWords = std::function<void(int rank, const std::string& seconds)>;

// Null where nobody has started several processes, or one by mpirun.
std::unique_ptr<MpiEndpoint> join_others(const LastWords& say);

// The number of processes that the starter of this one says there are; 0: there is no starter.
// (Open MPI's mpirun, MPICH's and Intel's Hydra, and srun with PMIx or PMI set these.)
int processes_started();

}  // namespace xf
