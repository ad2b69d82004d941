#include <cstdlib>

#include "distributed/mpi.hpp"

namespace xf {

int processes_started() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* size = std::getenv(name)) return std::atoi(size);
  // srun gives the number of tasks to every program of a job, but with PMIx or PMI-2 the task's own
  // number only to those that it has started itself.
  const bool by_srun = std::getenv("PMIX_RANK") || std::getenv("PMI_RANK");
  const char* tasks = std::getenv("SLURM_NTASKS");
  return by_srun && tasks ? std::atoi(tasks) : 0;
}

}  // namespace xf
