#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.adam.of = [](auto& moments, auto& p, const auto& g, double rate) {
    xf::exercise::Adam adam{moments.beta1, moments.beta2, moments.epsilon,
                            moments.m,     moments.v,     moments.t};
    xf::exercise::update(adam, p, g, rate);
    moments.m = adam.m;
    moments.v = adam.v;
  };
}
