#pragma once

#include <CLI/CLI.hpp>

namespace parfait::app {

/// What commands on measured markers share: the model, the weights of markers, how trials are read.
template <class Request>
void add_trial_options(CLI::App& parser, Request& request) {
  parser.add_option("model", request.model, "model with markers (.osim, .lua, .xml)")
      ->required()
      ->type_name("MODEL");
  parser.add_option("trials", request.trials, "files with measured markers (C3D, TRC)")
      ->required()
      ->type_name("TRIAL...");
  parser.add_option("--weights", request.tasks, "weights of markers: OpenSim's task set or setup")
      ->type_name("FILE");
  parser.add_option("--weight", request.weights, "weight of a marker, 1 otherwise")
      ->allow_extra_args(false)
      ->type_name("MARKER=W");
  parser.add_flag("--relabel", request.reading.relabel, "repair labels that were exchanged");
  parser
      .add_option("--names", request.reading.names,
                  "names of markers: a table model,file; guess: by what they mean")
      ->type_name("FILE|guess");
  parser.add_option("--name", request.reading.name, "a marker of the model, its name in the files")
      ->allow_extra_args(false)
      ->type_name("MARKER=LABEL");
  parser.add_option("--units", request.reading.units, "unit of length, instead of what files say")
      ->type_name("UNIT");
  parser
      .add_option("--axes", request.reading.axes,
                  "axes of the model from those of the files: x,z,-y")
      ->type_name("X,Y,Z");
  parser
      .add_option("--threads", request.threads,
                  "number of threads (all cores); results do not depend on it")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
}

}  // namespace parfait::app
