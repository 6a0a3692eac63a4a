#include "parfait/estimate/linear/packing.h"

namespace parfait::estimate {

void Packer::put(const Eigen::MatrixXd& matrix) {
  put(static_cast<double>(matrix.rows()));
  put(static_cast<double>(matrix.cols()));
  numbers_.insert(numbers_.end(), matrix.data(), matrix.data() + matrix.size());
}

void Packer::put(const Eigen::VectorXd& vector) {
  put(static_cast<double>(vector.size()));
  numbers_.insert(numbers_.end(), vector.data(), vector.data() + vector.size());
}

void Packer::put(const std::string& text) {
  put(static_cast<double>(text.size()));
  for (char c : text) put(static_cast<double>(c));
}

void Packer::put(const RightSide& right) {
  put(right.b);
  put(right.c);
  put(right.e);
}

void Packer::put(const Block& block) {
  for (const auto* m : {&block.A, &block.B, &block.C, &block.D, &block.E, &block.F}) put(*m);
  put(block.right);
}

void Unpacker::get(Eigen::MatrixXd& matrix) {
  double rows = 0, cols = 0;
  get(rows);
  get(cols);
  matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
  for (Eigen::Index i = 0; i < matrix.size(); ++i) get(matrix.data()[i]);
}

void Unpacker::get(Eigen::VectorXd& vector) {
  double size = 0;
  get(size);
  vector.resize(static_cast<Eigen::Index>(size));
  for (double& value : vector) get(value);
}

void Unpacker::get(std::string& text) {
  double size = 0, c = 0;
  get(size);
  text.clear();
  for (int i = 0; i < static_cast<int>(size); ++i) {
    get(c);
    text.push_back(static_cast<char>(c));
  }
}

void Unpacker::get(RightSide& right) {
  get(right.b);
  get(right.c);
  get(right.e);
}

void Unpacker::get(Block& block) {
  for (auto* m : {&block.A, &block.B, &block.C, &block.D, &block.E, &block.F}) get(*m);
  get(block.right);
}

}  // namespace parfait::estimate
