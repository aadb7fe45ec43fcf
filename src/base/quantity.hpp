#pragma once

#include <compare>

namespace tokenjoule {

/// A number with its dimension in the type: joules^Energy * seconds^Time * tokens^Count.
/// Always in SI base units (J, s) and whole tokens; convert once, where the number enters.
template <int Energy, int Time, int Count>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  constexpr double value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value_ - b.value_);
  }
  friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.value_); }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return Quantity(a.value_ * factor);
  }
  friend constexpr Quantity operator*(double factor, Quantity a) {
    return Quantity(a.value_ * factor);
  }
  friend constexpr Quantity operator/(Quantity a, double divisor) {
    return Quantity(a.value_ / divisor);
  }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  double value_ = 0;
};

template <int E1, int T1, int C1, int E2, int T2, int C2>
constexpr auto operator*(Quantity<E1, T1, C1> a, Quantity<E2, T2, C2> b) {
  return Quantity<E1 + E2, T1 + T2, C1 + C2>(a.value() * b.value());
}
template <int E1, int T1, int C1, int E2, int T2, int C2>
constexpr auto operator/(Quantity<E1, T1, C1> a, Quantity<E2, T2, C2> b) {
  return Quantity<E1 - E2, T1 - T2, C1 - C2>(a.value() / b.value());
}
template <int E, int T, int C>
constexpr double operator/(Quantity<E, T, C> a, Quantity<E, T, C> b) {
  return a.value() / b.value();
}

using Joules = Quantity<1, 0, 0>;
using Seconds = Quantity<0, 1, 0>;
using Watts = Quantity<1, -1, 0>;
using Tokens = Quantity<0, 0, 1>;  ///< real-valued: a window may hold a share of a request
using JoulesPerToken = Quantity<1, 0, -1>;
using TokensPerSecond = Quantity<0, -1, 1>;

/// 1 Wh = 3600 J (exact).
constexpr double kJoulesPerWattHour = 3600.0;

}  // namespace tokenjoule
