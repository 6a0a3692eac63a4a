#include <fmt/format.h>

#include <numbers>

#include "command.h"
#include "parfait/base/error.h"
#include "parfait/io/text/number.h"
#include "parfait/run/human/human.h"
#include "parfait/run/summary/people_text.h"

// parfait human: height, mass and sex in, a model file out.
namespace parfait::app {
namespace {

struct HumanOptions {
  std::string sex, posture = "standing", table = "deleva", out;
  double height = 0, mass = 0, recline = 0;
  int segments = 0, dimensions = 3;
  bool heiman = false, as_published = false;
  std::vector<std::string> lengths, settings, joints;
};

/// name=value.
std::pair<std::string, double> setting_of(const std::string& text, const char* option,
                                          const char* unit) {
  const auto equals = text.find('=');
  io::ParsedNumber number;
  if (equals != std::string::npos) {
    number = io::parse_number(std::string_view(text).substr(equals + 1));
  }
  if (number.kind != io::NumberKind::kNumber) {
    throw base::InputError(fmt::format("{} {}: must read name=value, in {}.", option, text, unit));
  }
  return {text.substr(0, equals), number.value};
}

run::HumanRequest request_of(const HumanOptions& options) {
  run::HumanRequest request;
  request.person.sex = options.sex == "male" ? motion::Sex::kMale : motion::Sex::kFemale;
  request.person.height = options.height;
  request.person.mass = options.mass;
  for (const auto& text : options.lengths) {
    request.person.lengths.insert(setting_of(text, "--length", "m"));
  }
  request.posture =
      options.posture == "sitting" ? motion::Posture::kSitting : motion::Posture::kStanding;
  request.table = options.table;
  request.segments = options.segments;
  request.recline = options.recline * std::numbers::pi / 180;
  return request;
}

run::HeiManRun heiman_of(const HumanOptions& options) {
  motion::HeiManRequest request;
  request.sex = options.sex == "female" ? motion::Sex::kFemale : motion::Sex::kMale;
  request.height = options.height;
  request.mass = options.mass;
  request.as_published = options.as_published;
  request.dimensions = options.dimensions;
  for (const auto& text : options.settings) {
    request.set.insert(setting_of(text, "--set", "m or kg"));
  }
  for (const auto& text : options.joints) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      throw base::InputError(
          fmt::format("--joint {}: must read name=axes, as in Wrist=ry,rx.", text));
    }
    request.joints[text.substr(0, equals)] = text.substr(equals + 1);
  }
  const bool lua = options.out.ends_with(".lua");
  if (!lua && !options.out.ends_with(".xml")) {
    throw base::InputError(fmt::format("--out {}: must end in .lua or .xml.", options.out));
  }
  return run::make_heiman(request, lua ? run::HeiManFormat::kLuaModel : run::HeiManFormat::kXml);
}

/// Options of one kind of human mean nothing to the other.
void check_options(const HumanOptions& options, const CLI::App& parser) {
  for (const char* name : {"--set", "--joint", "--dimensions", "--as-published"}) {
    if (!options.heiman && parser.count(name) > 0) {
      throw base::InputError(fmt::format("{}: only for --heiman.", name));
    }
  }
  for (const char* name : {"--posture", "--table", "--segments", "--length", "--recline"}) {
    if (options.heiman && parser.count(name) > 0) {
      throw base::InputError(fmt::format("{}: not for --heiman.", name));
    }
  }
  if (!options.heiman && options.sex.empty()) throw base::InputError("--sex is required.");
}

int human(const HumanOptions& options, const CLI::App& parser, const GlobalOptions& global) {
  check_options(options, parser);
  if (options.heiman) {
    const auto run = heiman_of(options);
    run::save(run, options.out);
    if (!global.quiet && !global.json) {
      fmt::print("{}model in {}\n", run::human_text(run), options.out);
    }
    if (global.json) fmt::print("{{\"model\": \"{}\"}}\n", options.out);
    return kDone;
  }
  const auto run = run::make_human(request_of(options));
  run::save(run, options.out);
  if (!global.quiet && !global.json) {
    fmt::print("{}model in {}\n", run::human_text(run), options.out);
  }
  if (global.json) fmt::print("{{\"model\": \"{}\"}}\n", options.out);
  return kDone;
}

}  // namespace

Command add_human(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand("human", "make a human model from height, mass and sex");
  auto options = std::make_shared<HumanOptions>();
  parser->add_option("--sex", options->sex, "female or male; of --heiman male without")
      ->check(CLI::IsMember({"female", "male"}))
      ->type_name("SEX");
  parser->add_option("--height", options->height, "in m")->required()->type_name("M");
  parser->add_option("--mass", options->mass, "in kg")->required()->type_name("KG");
  parser->add_option("--posture", options->posture, "standing (default) or sitting")
      ->check(CLI::IsMember({"standing", "sitting"}))
      ->type_name("POSTURE");
  parser->add_option("--table", options->table, "deleva (default) or dumas")
      ->check(CLI::IsMember({"deleva", "dumas"}))
      ->type_name("TABLE");
  parser
      ->add_option("--segments", options->segments,
                   "16 or 17 (deleva), 15 (dumas); a sitting person of deleva has 17")
      ->type_name("N");
  parser
      ->add_option("--length", options->lengths,
                   "a measured length instead of the scaled one, in m; may be repeated")
      ->type_name("NAME=M")
      ->allow_extra_args(false);
  parser->add_option("--recline", options->recline, "sitting: of the trunk, backwards, in degrees")
      ->type_name("DEG");
  parser->add_flag("--heiman", options->heiman,
                   "the model of Felis (2015) in joint coordinates, with markers, as .lua or .xml");
  parser->add_option("--set", options->settings, "heiman: a length in m or a mass in kg")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  parser->add_option("--joint", options->joints, "heiman: what a joint may do: ry,rx,rz or fixed")
      ->type_name("NAME=AXES")
      ->allow_extra_args(false);
  parser
      ->add_option("--dimensions", options->dimensions,
                   "heiman: 3, 2 (the sagittal plane) or 1 (up and down)")
      ->type_name("N");
  parser->add_flag("--as-published", options->as_published,
                   "heiman: the tables as they were printed, with their errors");
  parser->add_option("--out", options->out, "model file to write")->required()->type_name("FILE");
  return {parser, [options, parser, &global] { return human(*options, *parser, global); }};
}

}  // namespace parfait::app
