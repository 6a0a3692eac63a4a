#include "bindings.h"
#include "callables.h"
#include "parfait/base/error.h"
#include "parfait/io/model/formula_file.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/xml_element.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/job/model.h"
#include "parfait/run/simulation/modes.h"
#include "parfait/run/summary/facts_text.h"
#include "parfait/run/summary/modes_text.h"

namespace parfait::python {
namespace {

std::string text_of(const mechanism::Description& description) {
  return io::model_text(description);
}
std::string text_of(const dynamics::FormulaModel& model) {
  return io::formula_model_text(model);
}

run::Model read_text(const std::string& text, const std::string& name, const py::dict& set,
                     const std::string& coordinates) {
  const auto settings = settings_of(set);
  return attended([&] {
    return run::make_model(io::read_any_model(io::XmlSource(text, name)), settings, name,
                           io::coordinates_of(coordinates, "coordinates"));
  });
}

std::shared_ptr<run::ModesRun> find_modes(const run::Model& model, const py::dict& options) {
  run::ModesRequest request;
  request.model = model;
  request.file = model.file;
  take(options, "at_initial", request.at_initial);
  take(options, "time", request.time);
  take(options, "count", request.count);
  return Conversation(options).find<run::ModesRun>(
      [&](const auto& callbacks) { return run::find_modes(request, callbacks); });
}

}  // namespace

void bind_models(py::module_& module) {
  py::class_<run::Model>(module, "Model")
      .def_static("read",
                  [](const std::string& file, const py::dict& set, const std::string& coordinates) {
                    const auto settings = settings_of(set);
                    return attended([&] {
                      return run::load_model(file, settings,
                                             io::coordinates_of(coordinates, "coordinates"));
                    });
                  })
      .def_static("read_text", read_text)
      .def("with_settings",
           [](const run::Model& model, const py::dict& set) {
             const auto settings = settings_of(set);
             if (!settings.empty() && python_part(model) == "right-hand side") {
               throw base::InputError(
                   "set: parameters of a right-hand side from Python are given where it is made.");
             }
             const py::gil_scoped_release released;
             return run::with_settings(model, settings);
           })
      .def_readonly("file", &run::Model::file)
      .def_readonly("contents", &run::Model::contents)
      .def_readonly("warnings", &run::Model::warnings)
      .def_readonly("default_quantities", &run::Model::default_quantities)
      .def("text",
           [](const run::Model& model) {
             if (const auto part = python_part(model); !part.empty()) {
               throw base::InputError("the " + part +
                                      " of the model is a function of Python: it can be neither "
                                      "saved nor pickled.");
             }
             return std::visit([](const auto& source) { return text_of(source); }, *model.source);
           })
      .def("facts_json",
           [](const run::Model& model) { return io::facts_text(run::facts_of(model)); })
      .def("facts_text",
           [](const run::Model& model) { return run::facts_text(run::facts_of(model)); })
      .def("find_modes", find_modes);

  py::class_<run::ModesRun, std::shared_ptr<run::ModesRun>>(module, "Modes")
      .def("json", [](const run::ModesRun& run) { return io::result_text(run.result); })
      .def("text", [](const run::ModesRun& run) { return run::modes_text(run); })
      .def("report", [](const run::ModesRun& run) { return run::report_page(run); })
      .def("shapes",
           [](const std::shared_ptr<run::ModesRun>& run) {
             const py::object owner = py::cast(run);
             return py::make_tuple(run->shapes.quantities, view(run->shapes.re, owner),
                                   view(run->shapes.im, owner), view(run->shapes.point, owner));
           })
      .def("save", [](run::ModesRun& run, const std::string& folder) {
        const py::gil_scoped_release released;
        run::save(run, folder);
      });
}

}  // namespace parfait::python
