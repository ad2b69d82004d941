#include "exercise.hpp"

namespace xf::exercise {

double gelu_of(double x) { TODO("04-05: chapters/04_feed_forward/exercises/05_gelu/exercise.cpp"); }

double gelu_derivative(double x) {
  TODO("04-05: chapters/04_feed_forward/exercises/05_gelu/exercise.cpp");
}

double gelu_tanh(double x) {
  TODO("04-05: chapters/04_feed_forward/exercises/05_gelu/exercise.cpp");
}

double gelu_tanh_derivative(double x) {
  TODO("04-05: chapters/04_feed_forward/exercises/05_gelu/exercise.cpp");
}

}  // namespace xf::exercise
