#include "train/exchange/exchange.hpp"

#include "distributed/processes.hpp"
#include "train/exchange/over_devices.hpp"
#include "train/exchange/over_processes.hpp"

namespace xf {

std::unique_ptr<Exchange> make_exchange(std::vector<NamedParameter> parameters, bool shared_state) {
  if (!several_processes()) return std::make_unique<Exchange>(std::move(parameters));
  if (!parameters.empty() && parameters[0].tensor->device() != Device::cpu)
    return std::make_unique<OverDevices>(std::move(parameters));
  return std::make_unique<OverProcesses>(std::move(parameters), shared_state);
}

}  // namespace xf
