#include "cuda/checking.hpp"

// Every case of this program runs with every access checked, from the first allocation on.
namespace {

const xf::cuda::Checking checking;

}  // namespace
