#include "ops/matmul/precision.hpp"

namespace xf {

namespace {

Precision current = Precision::float32;

}  // namespace

Precision product_precision() { return current; }

ProductPrecision::ProductPrecision(Precision precision) : before_(current) { current = precision; }
ProductPrecision::~ProductPrecision() { current = before_; }

}  // namespace xf
