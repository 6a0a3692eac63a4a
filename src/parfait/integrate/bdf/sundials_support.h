#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <span>
#include <string>
#include <vector>

/// Owners of what SUNDIALS allocates. Included by the sources of bdf alone: no header that a user
/// of the library sees knows SUNDIALS.
namespace parfait::integrate::sundials {

class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  SUNContext get() const { return context_; }

 private:
  SUNContext context_ = nullptr;
};

class Vector {
 public:
  Vector(const Context& context, int size);
  ~Vector() { N_VDestroy(vector_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  Vector(Vector&& other) noexcept : vector_(other.vector_) { other.vector_ = nullptr; }
  Vector& operator=(Vector&&) = delete;

  N_Vector get() const { return vector_; }
  double* data() { return N_VGetArrayPointer(vector_); }
  const double* data() const { return N_VGetArrayPointer(vector_); }
  double& operator[](int i) { return data()[i]; }
  double operator[](int i) const { return data()[i]; }
  std::span<double> span() { return {data(), static_cast<std::size_t>(N_VGetLength(vector_))}; }

 private:
  N_Vector vector_ = nullptr;
};

/// The columns of a matrix, as the sensitivity interfaces want them.
class Columns {
 public:
  Columns(const Context& context, int rows, int count);
  int count() const { return static_cast<int>(columns_.size()); }
  N_Vector* get() { return handles_.data(); }
  Vector& operator[](int column) { return columns_[column]; }
  const Vector& operator[](int column) const { return columns_[column]; }

 private:
  std::vector<Vector> columns_;
  std::vector<N_Vector> handles_;
};

/// A dense matrix with its LU solver.
class DenseSolver {
 public:
  DenseSolver(const Context& context, const Vector& like);
  ~DenseSolver();
  DenseSolver(const DenseSolver&) = delete;
  DenseSolver& operator=(const DenseSolver&) = delete;
  SUNMatrix matrix() const { return matrix_; }
  SUNLinearSolver solver() const { return solver_; }

 private:
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
};

/// The last message of a solver, which would otherwise be printed. `handle` has the type of both
/// solvers' error handlers; its data is the ErrorText.
class ErrorText {
 public:
  static void handle(int code, const char* module, const char* function, char* message,
                     void* error_text);
  /// std::logic_error with the message if the flag of a call is negative: for calls that fail only
  /// if we use them wrongly.
  void check(int flag, const char* call) const;

 private:
  std::string last_;
};

}  // namespace parfait::integrate::sundials
