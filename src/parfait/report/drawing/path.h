#pragma once

#include <span>
#include <string>
#include <vector>

/// Curves as SVG path data: small, and the same bytes for the same curve.
namespace parfait::report {

/// A place in a picture, in pixels from its upper left corner.
struct Place {
  double x = 0, y = 0;
};

/// Path data in tenths of a pixel, with relative commands.
class PathData {
 public:
  void move(Place to);
  void line(Place to);
  void close();
  /// A line without length: its round ends make a dot.
  void dot(Place at);
  const std::string& data() const { return data_; }

 private:
  void command(char letter, Place to);
  void numbers(long x, long y);

  std::string data_;
  long x_ = 0, y_ = 0;              ///< where it stands, in tenths
  long start_x_ = 0, start_y_ = 0;  ///< where close() returns to
  char last_ = ' ';
};

/// Fewer places that look the same: first, of many in one column of pixels, those where it enters,
/// is lowest, is highest and leaves (curves that go to the right only), then Douglas-Peucker: what
/// lies within `tolerance` pixels of the line between its neighbours is left out.
/// See  D. H. Douglas, T. K. Peucker, Cartographica 10 (1973) 112-122.
std::vector<Place> simplified(std::span<const Place> curve, double tolerance = 0.15);

/// Of places that share a square of `size` pixels the first: what more would show covers itself.
std::vector<Place> thinned(std::span<const Place> places, double size);

}  // namespace parfait::report
