#pragma once

namespace xf::portable {

// Functions that the standard library computes differently from version to version and from
// processor to processor, in plain arithmetic: the same bits everywhere. Each is within 2 units in
// the last place of a double, pow within 4 + 2 |y ln x|, so that a result rounded to float is
// nearly always the nearest one. Methods and constants are those of fdlibm (Sun Microsystems 1993):
// a reduction of the argument, then a polynomial.
double exp(double x);
double log(double x);            // minus infinity at 0, NaN below
double pow(double x, double y);  // NaN for an x below 0, except for integers |y| up to 64
double sin(double x);            // this accurate for |x| up to 1e6
double cos(double x);

inline double square(double x) { return x * x; }
// The largest n for which 10^n is at most x; x above 0.
int floor_log10(double x);

}  // namespace xf::portable
