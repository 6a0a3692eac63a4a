#include "bindings.h"

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/job/job.h"

namespace parfait::python {

void fail_kind(const std::string& name, const py::handle& value, const char* kind) {
  throw base::InputError(name + " = " + py::repr(value).cast<std::string>() + ": must be " + kind +
                         ".");
}

std::vector<run::Setting> settings_of(const py::dict& values) {
  std::vector<run::Setting> settings;
  settings.reserve(values.size());
  for (const auto& [id, value] : values) {
    const auto name = read_as<std::string>("name of a parameter", id);
    const auto number = read_as<double>(name, value);
    settings.emplace_back(name + "=" + py::repr(py::float_(number)).cast<std::string>(), name,
                          number);
  }
  return settings;
}

py::array view(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
               const py::object& owner) {
  py::array_t<double> array(std::move(shape), std::move(strides), data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::array view(const std::vector<double>& values, const py::object& owner) {
  return view(values.data(), {static_cast<py::ssize_t>(values.size())},
              {static_cast<py::ssize_t>(sizeof(double))}, owner);
}

py::array view(const result::Matrix& matrix, const py::object& owner) {
  constexpr auto kSize = static_cast<py::ssize_t>(sizeof(double));
  return view(matrix.values.data(), {matrix.rows, matrix.cols}, {kSize * matrix.cols, kSize},
              owner);
}

py::dict view(const result::Table& table, const py::object& owner) {
  py::dict columns;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    columns[py::str(table.header[i])] = view(table.columns[i], owner);
  }
  return columns;
}

py::list motions(const result::Scenes& scenes, const py::object& owner) {
  py::list all;
  for (const auto& motion : scenes.motions) {
    py::list bodies;
    const auto& scene = scenes.scenes[static_cast<std::size_t>(motion.scene)];
    for (const auto& body : scene.bodies) bodies.append(body.id);
    const auto times = static_cast<py::ssize_t>(motion.t.size());
    const auto count = static_cast<py::ssize_t>(scene.bodies.size());
    constexpr auto kSize = static_cast<py::ssize_t>(sizeof(float));
    py::array_t<float> frames({times, count, py::ssize_t{4}, py::ssize_t{3}},
                              {count * 12 * kSize, 12 * kSize, 3 * kSize, kSize},
                              motion.frames.data(), owner);
    py::detail::array_proxy(frames.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    all.append(py::make_tuple(motion.experiment, bodies, view(motion.t, owner), frames));
  }
  return all;
}

Conversation::Conversation(const py::dict& options) {
  take(options, "on_progress", on_progress_);
  take(options, "on_iteration", on_iteration_);
  take(options, "on_problem", on_problem_);
  callbacks_.stop = [this] { return ask(); };
  if (on_progress_) {
    callbacks_.on_progress = [this](double fraction, const std::string& note) {
      const py::gil_scoped_acquire lock;
      tell(on_progress_, fraction, note);
    };
  }
  if (on_problem_) {
    callbacks_.on_problem = [this](const result::ProblemFacts& facts) {
      const py::gil_scoped_acquire lock;
      tell(on_problem_, io::facts_text(facts));
    };
  }
  if (on_iteration_) {
    callbacks_.on_iteration = [this](const run::IterationRecord& record) {
      const py::gil_scoped_acquire lock;
      const auto& i = record.iteration;
      py::dict values;
      for (std::size_t k = 0; k < record.names.size() && k < record.values.size(); ++k) {
        values[py::str(record.names[k])] = record.values[k];
      }
      py::dict line;
      line["number"] = i.number;
      line["objective"] = i.objective;
      line["constraints"] = i.constraints;
      line["increment"] = i.increment;
      line["step"] = i.step;
      line["omega"] = i.omega;
      line["kappa"] = i.kappa;
      line["rank"] = i.rank;
      line["condition"] = i.condition;
      line["values"] = values;
      tell(on_iteration_, line);
    };
  }
}

bool Conversation::ask() {
  const py::gil_scoped_acquire lock;
  if (interrupt_) return true;
  if (PyErr_CheckSignals() == 0) return false;
  interrupt_ = std::make_unique<py::error_already_set>();  // takes the raised exception over
  return true;
}

bool Conversation::let(const std::function<void()>& work) {
  const py::gil_scoped_release released;
  try {
    work();
    return true;
  } catch (const base::Stopped&) {
    return false;
  }
}

void attend(const std::function<void()>& work) {
  Conversation conversation((py::dict()));
  Conversation::let([&] {
    run::Job job(conversation.callbacks(), 1);
    job.run(work);
  });
  conversation.raise_if_interrupted(py::none());
}

void Conversation::raise_if_interrupted(const py::object& partial) {
  if (!interrupt_) return;
  const auto error = std::move(interrupt_);
  py::setattr(error->value(), "partial", partial);
  throw py::error_already_set(*error);
}

namespace {

/// InputError(message, file, line, column) of the Python layer.
void translate_input_error(std::exception_ptr pending) {
  try {
    if (pending) std::rethrow_exception(pending);
  } catch (const base::InputError& error) {
    const auto type = py::module_::import("parfait._errors").attr("InputError");
    const auto& place = error.place();
    std::string message = error.what();
    if (message.starts_with("--"))
      message.erase(0, 2);  // an option of the command is a keyword here
    const py::object value = type(message, place.file, place.line, place.column);
    PyErr_SetObject(type.ptr(), value.ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_parfait, module) {
  module.doc() = "The engine behind the package parfait.";
  py::register_exception_translator(translate_input_error);
  bind_models(module);
  bind_simulations(module);
  bind_fits(module);
  bind_files(module);
  bind_findings(module);
  bind_callables(module);
}

}  // namespace parfait::python
