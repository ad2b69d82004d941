#include <cstdlib>

#include "distributed/mpi.hpp"

namespace xf {

int processes_started() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* size = std::getenv(name)) return std::atoi(size);
  // srun says how many tasks there are in every program of a job, and with PMIx or PMI-2 which of
  // them this is only in those that it has started itself.
  const bool by_srun = std::getenv("PMIX_RANK") || std::getenv("PMI_RANK");
  const char* tasks = std::getenv("SLURM_NTASKS");
  return by_srun && tasks ? std::atoi(tasks) : 0;
}

}  // namespace xf
