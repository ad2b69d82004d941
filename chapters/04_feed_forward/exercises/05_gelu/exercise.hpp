#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// y = x Phi(x), where Phi is the distribution of a standard normal number.
//                                                            Hendrycks and Gimpel 2016, 2
double gelu_of(double x);

// Its derivative by x.
double gelu_derivative(double x);

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), the approximation.
double gelu_tanh(double x);

// The derivative of the approximation by x.
double gelu_tanh_derivative(double x);

}  // namespace xf::exercise
