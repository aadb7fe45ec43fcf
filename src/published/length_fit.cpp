#include "published/length_fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

namespace tokenjoule {

namespace {

/// Points closer to a line than this share of the largest length stand on it.
constexpr double kOnLine = 1e-9;

/// Twice the area of the triangle, above 0 where c lies to the left of the way from a to b.
double turn(const QueryLengths& a, const QueryLengths& b, const QueryLengths& c) {
  return (b.input - a.input) * (c.output - a.output) - (b.output - a.output) * (c.input - a.input);
}

/// Corners of the convex hull, to the left around (A. M. Andrew, Another efficient algorithm for
/// convex hulls in two dimensions, Information Processing Letters 9, 1979).
std::vector<QueryLengths> hull_of(std::span<const LengthEnergy> rows) {
  std::vector<QueryLengths> points;
  for (const LengthEnergy& row : rows) points.push_back(row.lengths);
  const auto before = [](const QueryLengths& a, const QueryLengths& b) {
    return a.input != b.input ? a.input < b.input : a.output < b.output;
  };
  std::sort(points.begin(), points.end(), before);
  std::vector<QueryLengths> hull;
  if (points.empty()) return hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = hull.size();
    for (const QueryLengths& point : points) {
      while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0)
        hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();  // it begins the other side
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

double scale_of(std::span<const LengthEnergy> rows) {
  double largest = 0;
  for (const LengthEnergy& row : rows)
    largest = std::max({largest, row.lengths.input, row.lengths.output});
  return largest * largest;
}

/// Do three of the rows span an area?
bool spans_area(std::span<const LengthEnergy> rows) {
  const auto hull = hull_of(rows);
  const double least = kOnLine * scale_of(rows);
  for (std::size_t i = 2; i < hull.size(); ++i) {
    if (turn(hull[0], hull[i - 1], hull[i]) > least) return true;
  }
  return false;
}

/// The best of the solutions that leave out a part: of a convex problem with one negative part, the
/// best without negative ones has that part, or the other, at 0.
Eigen::Vector2d best_single(const Eigen::MatrixX2d& parts, const Eigen::VectorXd& ones) {
  Eigen::Vector2d best = Eigen::Vector2d::Zero();
  for (int only = 0; only < 2; ++only) {
    Eigen::Vector2d solution = Eigen::Vector2d::Zero();
    const double square = parts.col(only).squaredNorm();
    if (square > 0) solution[only] = parts.col(only).dot(ones) / square;
    if ((parts * solution - ones).norm() < (parts * best - ones).norm()) best = solution;
  }
  return best;
}

}  // namespace

Result<LengthFit> fit_lengths(std::span<const LengthEnergy> rows) {
  if (!spans_area(rows))
    return failure(ErrorKind::missing,
                   "its rows have fewer than three lengths that differ in both");
  const auto count = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixX2d parts(count, 2);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const LengthEnergy& row = rows[static_cast<std::size_t>(i)];
    parts(i, 0) = row.lengths.input / row.wh;
    parts(i, 1) = row.lengths.output / row.wh;
  }
  Eigen::Vector2d solution = parts.colPivHouseholderQr().solve(ones);
  if (solution.minCoeff() < 0) solution = best_single(parts, ones);
  const Eigen::VectorXd deviations = parts * solution - ones;
  LengthFit fit{solution[0], solution[1], 0, 0};
  fit.mean_deviation = deviations.norm() / std::sqrt(static_cast<double>(count));
  Eigen::Index most = 0;
  deviations.cwiseAbs().maxCoeff(&most);
  fit.most_deviation = deviations[most];
  return fit;
}

bool in_span(std::span<const LengthEnergy> rows, const QueryLengths& lengths) {
  const auto hull = hull_of(rows);
  const double slack = kOnLine * scale_of(rows);
  for (std::size_t i = 0; i < hull.size(); ++i) {
    if (turn(hull[i], hull[(i + 1) % hull.size()], lengths) < -slack) return false;
  }
  return hull.size() >= 3;
}

}  // namespace tokenjoule
