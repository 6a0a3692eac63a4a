#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// Matrices and texts as one list of numbers, and back, in the order they were put: what processes
/// exchange.
class Packer {
 public:
  explicit Packer(std::vector<double>& numbers) : numbers_(numbers) { numbers_.clear(); }
  void put(double value) { numbers_.push_back(value); }
  void put(const Eigen::MatrixXd& matrix);
  void put(const Eigen::VectorXd& vector);
  void put(const std::string& text);
  void put(const RightSide& right);
  void put(const Block& block);

 private:
  std::vector<double>& numbers_;
};

class Unpacker {
 public:
  explicit Unpacker(const std::vector<double>& numbers) : numbers_(numbers) {}
  void get(double& value) { value = numbers_[at_++]; }
  void get(Eigen::MatrixXd& matrix);
  void get(Eigen::VectorXd& vector);
  void get(std::string& text);
  void get(RightSide& right);
  void get(Block& block);

 private:
  const std::vector<double>& numbers_;
  std::size_t at_ = 0;
};

}  // namespace parfait::estimate
