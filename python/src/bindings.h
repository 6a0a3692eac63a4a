#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "parfait/result/scene.h"
#include "parfait/result/table.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/settings.h"

/// The extension module _parfait: run requests from dictionaries, results as arrays without copies
/// and as the text of result.json. Everything a person sees is written in Python on top of it.
namespace parfait::python {

namespace py = pybind11;

void bind_models(py::module_& module);
void bind_simulations(py::module_& module);
void bind_fits(py::module_& module);
void bind_files(py::module_& module);
void bind_findings(py::module_& module);
void bind_callables(py::module_& module);

/// {"k": 2.0} as --set would read it.
std::vector<run::Setting> settings_of(const py::dict& values);

/// InputError: `until = "1": must be a number.`
[[noreturn]] void fail_kind(const std::string& name, const py::handle& value, const char* kind);

/// A value a person gave, under the name it has for the person.
template <class T>
T read_as(const std::string& name, const py::handle& value) {
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    fail_kind(name, value,
              std::is_same_v<T, bool>                 ? "True or False"
              : std::is_integral_v<T>                 ? "a whole number"
              : std::is_floating_point_v<T>           ? "a number"
              : std::is_convertible_v<T, std::string> ? "a text"
                                                      : "a list");
  }
}

/// The value of a key that may be missing. The Python layer gives no None.
template <class T>
void take(const py::dict& options, const char* key, T& value) {
  if (options.contains(key)) value = read_as<T>(key, options[key]);
}
template <class T>
void take(const py::dict& options, const char* key, std::optional<T>& value) {
  if (options.contains(key)) value = read_as<T>(key, options[key]);
}

/// Numbers that live in `owner`, seen as an array that keeps the owner alive and cannot be written.
py::array view(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
               const py::object& owner);
py::array view(const std::vector<double>& values, const py::object& owner);
py::array view(const result::Matrix& matrix, const py::object& owner);
/// {"t": ..., "x": ...}
py::dict view(const result::Table& table, const py::object& owner);

/// [(experiment, bodies, t, frames)]: frames x bodies x 4 x 3, origin and axes of each body.
py::list motions(const result::Scenes& scenes, const py::object& owner);

/// Ctrl-C and the callables of Python while a piece of work runs without the interpreter's lock. An
/// exception of a callable ends the work and arrives unchanged; Ctrl-C ends it with a result, which
/// the exception then carries as `partial`.
class Conversation {
 public:
  /// `options`: "on_progress"(fraction, note), "on_iteration"(dict), "on_problem"(text).
  explicit Conversation(const py::dict& options);
  const run::Callbacks& callbacks() const { return callbacks_; }
  /// Raises what a signal raised meanwhile (KeyboardInterrupt), with the result.
  void raise_if_interrupted(const py::object& partial);

  /// Does the work without the interpreter's lock; false: it was stopped while it read.
  static bool let(const std::function<void()>& work);

  /// What `work(callbacks)` finds, without the interpreter's lock. Ctrl-C leaves what was found by
  /// then, None while files are still read.
  template <class Run, class Work>
  std::shared_ptr<Run> find(const Work& work) {
    auto run = std::make_shared<Run>();
    const bool found = let([&] { *run = work(callbacks_); });
    if (interrupt_) raise_if_interrupted(found ? py::cast(run) : py::none());
    return run;
  }

  /// Calls a callable of Python. Ctrl-C that arrives in there is Ctrl-C, and no exception of it.
  template <class... Arguments>
  void tell(const py::object& callable, Arguments&&... arguments) {
    if (interrupt_) return;
    try {
      callable(std::forward<Arguments>(arguments)...);
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupt_ = std::make_unique<py::error_already_set>(error);
    }
  }

 private:
  bool ask();

  run::Callbacks callbacks_;
  py::object on_progress_, on_iteration_, on_problem_;
  std::unique_ptr<py::error_already_set> interrupt_;
};

/// Reads or writes without the interpreter's lock, while this thread waits for Ctrl-C.
void attend(const std::function<void()>& work);
template <class Work>
auto attended(const Work& work) {
  std::optional<decltype(work())> made;
  attend([&] { made.emplace(work()); });
  return std::move(*made);
}

}  // namespace parfait::python
