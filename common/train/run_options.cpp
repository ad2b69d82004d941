#include "train/run_options.hpp"

#include "io/config_error.hpp"
#include "io/kinds.hpp"
#include "tensor/device.hpp"

namespace xf {

void check_run(const RunOptions& o) {
  require_least("updates", 0, o.updates);
  require_least("epochs", 0, o.epochs);
  require_not_negative("minutes", o.minutes);
  require_not_negative("lr", o.lr);
  require_least("warmup", 0, o.warmup);
  require_not_negative("clip", o.clip);
  require_not_negative("weight_decay", o.weight_decay);
  require_least("valid_every", 0, o.valid_every);
  require_least("average", 1, o.average);
  require_least("patience", 0, o.patience);
  require_least("keep_every", 0, o.keep_every);
  require_least("shards", 1, o.shards);
  require_device_for(o.precision);
  if (o.updates == 0 && o.epochs == 0 && o.minutes == 0)
    throw UserError("--updates, --epochs or --minutes is missing: how long to train");
}

void require_device_for(Precision precision) {
  if (precision != Precision::float32 && default_device() == Device::cpu)
    throw UserError(
        "--precision: {} is for a GPU (--device cuda, or cuda-emulated); products on the CPU are "
        "float32",
        name(precision));
}

}  // namespace xf
