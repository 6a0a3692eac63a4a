#include "parfait/integrate/bdf/sundials_support.h"

#include <fmt/format.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <new>
#include <stdexcept>

namespace parfait::integrate::sundials {
namespace {

template <class T>
T allocated(T handle) {
  if (handle == nullptr) throw std::bad_alloc();
  return handle;
}

}  // namespace

Context::Context() {
  if (SUNContext_Create(nullptr, &context_) != 0) throw std::bad_alloc();
}

Context::~Context() {
  SUNContext_Free(&context_);
}

Vector::Vector(const Context& context, int size)
    : vector_(allocated(N_VNew_Serial(size, context.get()))) {
  N_VConst(0, vector_);
}

Columns::Columns(const Context& context, int rows, int count) {
  columns_.reserve(count);
  handles_.reserve(count);
  for (int i = 0; i < count; ++i) handles_.push_back(columns_.emplace_back(context, rows).get());
}

DenseSolver::DenseSolver(const Context& context, const Vector& like) {
  const auto n = N_VGetLength(like.get());
  matrix_ = allocated(SUNDenseMatrix(n, n, context.get()));
  solver_ = allocated(SUNLinSol_Dense(like.get(), matrix_, context.get()));
}

DenseSolver::~DenseSolver() {
  SUNLinSolFree(solver_);
  SUNMatDestroy(matrix_);
}

void ErrorText::handle(int /*code*/, const char* module, const char* function, char* message,
                       void* error_text) {
  static_cast<ErrorText*>(error_text)->last_ = fmt::format("{} {}: {}", module, function, message);
}

void ErrorText::check(int flag, const char* call) const {
  if (flag < 0) throw std::logic_error(fmt::format("{} returned {}: {}", call, flag, last_));
}

}  // namespace parfait::integrate::sundials
