#include "parfait/io/petab/sbml.h"

#include <fmt/format.h>
#include <sbml/SBMLTypes.h>
#include <sbml/conversion/ConversionProperties.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "parfait/base/error.h"
#include "parfait/expr/formula.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

// Alone, outside the unity build: libSBML's headers are large, and its names are its own.
namespace parfait::io {
namespace {

using base::InputError;
using base::Place;
using dynamics::FormulaModel;

class SbmlReader {
 public:
  SbmlReader(::SBMLDocument& document, std::string file, const std::set<std::string>& given)
      : document_(document), file_(std::move(file)), given_(given) {}

  SbmlModel read() {
    check_document();
    expand();
    const ::Model& m = *document_.getModel();
    model_ = &m;
    out_.model.id = m.isSetId() ? m.getId() : "";
    out_.model.file = file_;
    refuse();
    collect();
    release_given();
    add_parameters();
    add_definitions();
    add_states();
    add_events();
    note_units();
    return std::move(out_);
  }

 private:
  // What the math of an initial assignment may name, besides parameters.
  struct Symbol {
    const ::ASTNode* initial = nullptr;  ///< initial assignment
    const ::ASTNode* rule = nullptr;     ///< assignment rule
    const ::ASTNode* rate = nullptr;     ///< rate rule
    std::string value{};                 ///< initial value as text, if a number is given
    bool is_species = false, is_constant = false;
    bool is_changed = false;  ///< by a reaction or a rate rule
    bool is_set = false;      ///< by an event
    unsigned line = 0;
  };

  [[noreturn]] void fail(unsigned line, const std::string& message) const {
    throw InputError(Place{.file = file_, .line = static_cast<int>(line)}, message);
  }

  void check_document() {
    for (unsigned i = 0; i < document_.getNumErrors(); ++i) {
      const ::SBMLError& error = *document_.getError(i);
      if (error.getSeverity() < ::LIBSBML_SEV_ERROR) continue;
      std::string text = error.getMessage();
      std::ranges::replace(text, '\n', ' ');
      fail(error.getLine(), fmt::format("not a valid SBML file: {}", trimmed(text)));
    }
    if (document_.getModel() == nullptr) fail(1, "the file holds no SBML model.");
  }

  void expand() {
    for (const char* what : {"expandFunctionDefinitions", "promoteLocalParameters"}) {
      ::ConversionProperties properties;
      properties.addOption(what, true, "");
      if (document_.convert(properties) != ::LIBSBML_OPERATION_SUCCESS) {
        fail(1, fmt::format("libSBML could not carry out \"{}\".", what));
      }
    }
  }

  void refuse() const {
    for (unsigned i = 0; i < model_->getNumRules(); ++i) {
      const ::Rule& rule = *model_->getRule(i);
      if (rule.isAlgebraic()) fail(rule.getLine(), "algebraic rules are not supported.");
      if (!rule.isSetMath()) fail(rule.getLine(), "a rule without a formula.");
    }
    for (unsigned i = 0; i < model_->getNumReactions(); ++i) {
      const ::Reaction& reaction = *model_->getReaction(i);
      if (reaction.isSetFast() && reaction.getFast()) {
        fail(reaction.getLine(),
             fmt::format("reaction \"{}\": fast reactions are not supported.", reaction.getId()));
      }
      if (!reaction.isSetKineticLaw() || !reaction.getKineticLaw()->isSetMath()) {
        fail(reaction.getLine(), fmt::format("reaction \"{}\" has no rate.", reaction.getId()));
      }
    }
    for (unsigned i = 0; i < model_->getNumEvents(); ++i) {
      const ::Event& event = *model_->getEvent(i);
      if (event.isSetDelay()) fail(event.getLine(), "delays of events are not supported.");
      if (event.isSetPriority()) fail(event.getLine(), "priorities of events are not supported.");
    }
    if (model_->getNumConstraints() > 0) {
      fail(model_->getConstraint(0)->getLine(), "constraints are not supported.");
    }
  }

  // -- symbols -----------------------------------------------------------------------------------

  void collect() {
    for (unsigned i = 0; i < model_->getNumCompartments(); ++i) {
      const ::Compartment& c = *model_->getCompartment(i);
      Symbol& s = add_symbol(c);
      s.is_constant = c.getConstant();
      s.value = number_text(c.isSetSize() ? c.getSize() : 1);
      if (c.isSetSize() && c.getSize() != 1) {
        out_.warnings.push_back(fmt::format(
            "compartment \"{}\" has the size {:g}: concentrations are amounts divided by "
            "it",
            c.getId(), c.getSize()));
      }
    }
    for (unsigned i = 0; i < model_->getNumSpecies(); ++i) {
      const ::Species& x = *model_->getSpecies(i);
      Symbol& s = add_symbol(x);
      s.is_species = true;
      s.is_constant = x.getConstant();
      const std::string& size = x.getCompartment();
      const bool is_amount = x.getHasOnlySubstanceUnits();
      if (x.isSetInitialConcentration()) {
        s.value = number_text(x.getInitialConcentration());
        if (is_amount) s.value += "*" + size;
      } else if (x.isSetInitialAmount()) {
        s.value = number_text(x.getInitialAmount());
        if (!is_amount) s.value += "/" + size;
      }
    }
    for (unsigned i = 0; i < model_->getNumParameters(); ++i) {
      const ::Parameter& p = *model_->getParameter(i);
      Symbol& s = add_symbol(p);
      s.is_constant = p.getConstant();
      if (p.isSetValue()) s.value = number_text(p.getValue());
    }
    for (unsigned i = 0; i < model_->getNumReactions(); ++i) {
      const ::Reaction& reaction = *model_->getReaction(i);
      for (unsigned k = 0; k < reaction.getNumReactants() + reaction.getNumProducts(); ++k) {
        const ::SpeciesReference& reference =
            k < reaction.getNumReactants() ? *reaction.getReactant(k)
                                           : *reaction.getProduct(k - reaction.getNumReactants());
        collect_reference(reference);
      }
    }
    for (unsigned i = 0; i < model_->getNumInitialAssignments(); ++i) {
      const ::InitialAssignment& a = *model_->getInitialAssignment(i);
      if (a.isSetMath()) symbol(a.getSymbol(), a.getLine()).initial = a.getMath();
    }
    for (unsigned i = 0; i < model_->getNumRules(); ++i) {
      const ::Rule& rule = *model_->getRule(i);
      Symbol& s = symbol(rule.getVariable(), rule.getLine());
      (rule.isRate() ? s.rate : s.rule) = rule.getMath();
      s.is_changed |= rule.isRate();
    }
    for (unsigned i = 0; i < model_->getNumEvents(); ++i) {
      const ::Event& event = *model_->getEvent(i);
      for (unsigned k = 0; k < event.getNumEventAssignments(); ++k) {
        const auto& a = *event.getEventAssignment(k);
        symbol(a.getVariable(), a.getLine()).is_set = true;
      }
    }
  }

  /// What somebody else decides has no initial assignment, only the value of it.
  void release_given() {
    for (const std::string& id : given_) {
      const auto at = symbols_.find(id);
      if (at == symbols_.end()) continue;
      Symbol& s = at->second;
      if (s.initial == nullptr || is_state(s)) continue;
      const std::string formula = initial_text(id, s.line);
      initial_texts_.clear();
      s.initial = nullptr;
      s.value = constant_text(formula);
    }
  }

  /// The number that a formula without names stands for; empty: it has names.
  static std::string constant_text(const std::string& formula) {
    expr::Names nothing;
    try {
      const expr::Formula compiled(formula, nothing);
      std::vector<double> scratch(compiled.scratch_size());
      return number_text(compiled.value(nullptr, scratch.data()));
    } catch (const InputError&) {
      return "";
    }
  }

  /// A stoichiometry with an id is a symbol of its own where something assigns it.
  void collect_reference(const ::SpeciesReference& reference) {
    const ::Species& x = *model_->getSpecies(reference.getSpecies());
    if (!x.getBoundaryCondition() && !x.getConstant()) symbols_[x.getId()].is_changed = true;
    if (reference.isSetId() && !symbols_.contains(reference.getId())) {
      Symbol& s = add_symbol(reference);
      s.is_constant = true;
      s.value = number_text(stoichiometry_number(reference));
    }
  }

  static double stoichiometry_number(const ::SpeciesReference& reference) {
    const double value = reference.getStoichiometry();
    return std::isfinite(value) ? value / reference.getDenominator() : 1;
  }

  Symbol& add_symbol(const ::SBase& element) {
    const std::string& id = element.getIdAttribute();
    Symbol& s = symbols_[id];
    s.line = element.getLine();
    order_.push_back(id);
    return s;
  }

  Symbol& symbol(const std::string& id, unsigned line) {
    const auto at = symbols_.find(id);
    if (at == symbols_.end()) {
      fail(line, fmt::format("\"{}\" is not a species, parameter or compartment.", id));
    }
    return at->second;
  }

  /// What formulas of the model call it: `t` and `pi` have their own meaning there.
  static std::string name_of(const std::string& id) {
    static const std::set<std::string> kReserved = {"t", "pi", "and", "or", "not"};
    return kReserved.contains(id) ? id + "_" : id;
  }

  bool is_state(const Symbol& s) const { return s.is_changed && s.rule == nullptr; }
  bool is_parameter(const Symbol& s) const {
    return !is_state(s) && s.rule == nullptr && s.initial == nullptr;
  }

  // -- parts of the model ------------------------------------------------------------------------

  void add_parameters() {
    for (const std::string& id : order_) {
      const Symbol& s = symbols_[id];
      if (!is_parameter(s)) continue;
      double value = 0;
      if (s.value.empty()) {
        if (!given_.contains(id)) {
          out_.warnings.push_back(
              fmt::format("\"{}\" has no value in the SBML file: 0 is taken", id));
        }
      } else if (s.is_species && parse_number(s.value).kind != NumberKind::kNumber) {
        // An amount over a size, both numbers.
        const ::Species& x = *model_->getSpecies(id);
        const double size = model_->getCompartment(x.getCompartment())->getSize();
        value = x.isSetInitialConcentration() ? x.getInitialConcentration() * size
                                              : x.getInitialAmount() / size;
      } else {
        value = parse_number(s.value).value;
      }
      auto& parameter = out_.model.parameter(name_of(id), value);
      parameter.place = {.file = file_, .line = static_cast<int>(s.line)};
    }
  }

  /// Rules, rates of reactions and constants with an initial assignment, each after what it uses.
  void add_definitions() {
    std::map<std::string, std::pair<std::string, unsigned>> formulas;
    std::vector<std::string> wanted;
    for (const std::string& id : order_) {
      const Symbol& s = symbols_[id];
      if (s.rule != nullptr) {
        formulas[id] = {text(*s.rule), s.line};
        wanted.push_back(id);
      } else if (!is_state(s) && s.initial != nullptr) {
        if (s.is_set) {
          fail(s.line,
               fmt::format("\"{}\" has an initial assignment and is set by an event, which is "
                           "not supported.",
                           id));
        }
        formulas[id] = {initial_text(id, s.line), s.line};
        wanted.push_back(id);
      }
    }
    for (unsigned i = 0; i < model_->getNumReactions(); ++i) {
      const ::Reaction& reaction = *model_->getReaction(i);
      formulas[reaction.getId()] = {text(*reaction.getKineticLaw()->getMath()), reaction.getLine()};
      wanted.push_back(reaction.getId());
    }
    std::set<std::string> done, open;
    const std::function<void(const std::string&)> add = [&](const std::string& id) {
      if (done.contains(id)) return;
      const auto& [formula, line] = formulas.at(id);
      if (!open.insert(id).second) fail(line, fmt::format("\"{}\" depends on itself.", id));
      for (const std::string& used : names_in(formula)) {
        for (const auto& [other, unused] : formulas) {
          if (name_of(other) == used) add(other);
        }
      }
      done.insert(id);
      auto& definition = out_.model.define(name_of(id), formula);
      definition.place = {.file = file_, .line = static_cast<int>(line)};
    };
    for (const std::string& id : wanted) add(id);
  }

  static std::vector<std::string> names_in(const std::string& formula) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < formula.size();) {
      const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
      };
      if (!is_word(formula[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < formula.size() && is_word(formula[end])) ++end;
      if (std::isdigit(static_cast<unsigned char>(formula[i])) == 0) {
        names.push_back(formula.substr(i, end - i));
      }
      i = end;
    }
    return names;
  }

  void add_states() {
    // nu_ij v_j, summed up.
    std::map<std::string, std::string> amounts;
    for (unsigned i = 0; i < model_->getNumReactions(); ++i) {
      const ::Reaction& reaction = *model_->getReaction(i);
      for (unsigned k = 0; k < reaction.getNumReactants(); ++k) {
        add_flux(reaction, *reaction.getReactant(k), " - ", amounts);
      }
      for (unsigned k = 0; k < reaction.getNumProducts(); ++k) {
        add_flux(reaction, *reaction.getProduct(k), " + ", amounts);
      }
    }
    for (const std::string& id : order_) {
      const Symbol& s = symbols_[id];
      if (!is_state(s)) continue;
      std::string derivative;
      if (s.rate != nullptr) {
        derivative = text(*s.rate);
      } else {
        const ::Species& x = *model_->getSpecies(id);
        derivative = amounts[id].empty() ? "0" : amounts[id];
        if (x.isSetConversionFactor() || model_->isSetConversionFactor()) {
          const std::string& factor =
              x.isSetConversionFactor() ? x.getConversionFactor() : model_->getConversionFactor();
          derivative = fmt::format("{}*({})", name_of(factor), derivative);
        }
        if (!x.getHasOnlySubstanceUnits()) {
          const std::string& size = x.getCompartment();
          const Symbol& c = symbols_[size];
          if (!is_parameter(c) || c.is_set) {
            fail(x.getLine(), fmt::format("species \"{}\" is a concentration in \"{}\", whose size "
                                          "varies, which is not supported.",
                                          id, size));
          }
          derivative = fmt::format("({})/{}", derivative, name_of(size));
        }
      }
      if (s.value.empty() && s.initial == nullptr) {
        out_.warnings.push_back(
            fmt::format("\"{}\" has no initial value in the SBML file: 0 is taken", id));
      }
      auto& state = out_.model.state(name_of(id), initial_text(id, s.line), derivative);
      state.place = {.file = file_, .line = static_cast<int>(s.line)};
    }
    if (out_.model.states.empty()) fail(1, "nothing in the model changes in time.");
  }

  void add_flux(const ::Reaction& reaction, const ::SpeciesReference& reference, const char* sign,
                std::map<std::string, std::string>& amounts) {
    const ::Species& x = *model_->getSpecies(reference.getSpecies());
    if (x.getBoundaryCondition() || x.getConstant()) return;
    std::string factor;
    if (reference.isSetStoichiometryMath() && reference.getStoichiometryMath()->isSetMath()) {
      factor = fmt::format("({})*", text(*reference.getStoichiometryMath()->getMath()));
    } else if (const Symbol* s = assigned_stoichiometry(reference)) {
      static_cast<void>(s);
      factor = name_of(reference.getId()) + "*";
    } else if (const double nu = stoichiometry_number(reference); nu != 1) {
      factor = number_text(nu) + "*";
    }
    std::string& sum = amounts[x.getId()];
    const std::string term = factor + name_of(reaction.getId());
    sum += sum.empty() ? (sign[1] == '-' ? "-" + term : term) : sign + term;
  }

  const Symbol* assigned_stoichiometry(const ::SpeciesReference& reference) const {
    if (!reference.isSetId()) return nullptr;
    const auto at = symbols_.find(reference.getId());
    const bool is_assigned = at != symbols_.end() && (at->second.rule || at->second.initial);
    return is_assigned ? &at->second : nullptr;
  }

  /// trigger true <=> g > 0; the event happens when g rises through zero.
  void add_events() {
    for (unsigned i = 0; i < model_->getNumEvents(); ++i) {
      const ::Event& event = *model_->getEvent(i);
      if (!event.isSetTrigger() || !event.getTrigger()->isSetMath()) {
        fail(event.getLine(), "an event without a trigger.");
      }
      const ::Trigger& trigger = *event.getTrigger();
      if (trigger.isSetInitialValue() && !trigger.getInitialValue()) {
        out_.warnings.push_back(fmt::format(
            "line {}: an event whose trigger holds from the start does not happen there",
            event.getLine()));
      }
      const std::string id =
          event.isSetId() ? name_of(event.getId()) : fmt::format("event_{}", i + 1);
      dynamics::Event& out = add_event(id, *trigger.getMath());
      out.place = {.file = file_, .line = static_cast<int>(event.getLine())};
      for (unsigned k = 0; k < event.getNumEventAssignments(); ++k) {
        const auto& a = *event.getEventAssignment(k);
        if (symbols_[a.getVariable()].rule != nullptr) {
          fail(a.getLine(),
               fmt::format("an event sets \"{}\", which a rule decides.", a.getVariable()));
        }
        out.set(name_of(a.getVariable()), text(*a.getMath()));
      }
    }
  }

  dynamics::Event& add_event(const std::string& id, const ::ASTNode& trigger) {
    // time >= T with T of parameters: steps end there.
    const auto type = trigger.getType();
    const bool is_after = type == ::AST_RELATIONAL_GEQ || type == ::AST_RELATIONAL_GT;
    if (is_after && trigger.getNumChildren() == 2 &&
        trigger.getChild(0)->getType() == ::AST_NAME_TIME &&
        is_of_parameters(*trigger.getChild(1))) {
      return out_.model.event_at(id, text(*trigger.getChild(1)));
    }
    return out_.model.event(id, margin(trigger)).on(dynamics::Passage::kRising);
  }

  bool is_of_parameters(const ::ASTNode& node) {
    if (node.getType() == ::AST_NAME_TIME) return false;
    if (node.getType() == ::AST_NAME) {
      const auto at = symbols_.find(node.getName());
      return at != symbols_.end() && is_parameter(at->second);
    }
    for (unsigned i = 0; i < node.getNumChildren(); ++i) {
      if (!is_of_parameters(*node.getChild(i))) return false;
    }
    return true;
  }

  /// > 0 where the condition holds.
  std::string margin(const ::ASTNode& node) {
    const auto side = [&](unsigned i) { return text(*node.getChild(i)); };
    switch (node.getType()) {
      case ::AST_RELATIONAL_GT:
      case ::AST_RELATIONAL_GEQ:
        return fmt::format("({}) - ({})", side(0), side(1));
      case ::AST_RELATIONAL_LT:
      case ::AST_RELATIONAL_LEQ:
        return fmt::format("({}) - ({})", side(1), side(0));
      case ::AST_LOGICAL_NOT:
        return fmt::format("-({})", margin(*node.getChild(0)));
      case ::AST_LOGICAL_AND:
      case ::AST_LOGICAL_OR: {
        const bool all = node.getType() == ::AST_LOGICAL_AND;
        std::string out = margin(*node.getChild(0));
        for (unsigned i = 1; i < node.getNumChildren(); ++i) {
          out = fmt::format("{}({}, {})", all ? "min" : "max", out, margin(*node.getChild(i)));
        }
        return out;
      }
      default:
        fail(line_of(node),
             "the trigger of an event must be an inequality, or such with and, or, not.");
    }
  }

  // -- initial values ----------------------------------------------------------------------------

  /// The value at t = 0 as a formula of parameters: everything else is put in.
  std::string initial_text(const std::string& id, unsigned line) {
    const auto known = initial_texts_.find(id);
    if (known != initial_texts_.end()) return known->second;
    if (!open_.insert(id).second) {
      fail(line, fmt::format("the initial value of \"{}\" depends on itself.", id));
    }
    const Symbol& s = symbols_[id];
    std::string out;
    const bool was = at_start_;
    at_start_ = true;
    if (s.rule != nullptr) {
      out = text(*s.rule);
    } else if (s.initial != nullptr) {
      out = text(*s.initial);
      // The assignment gives what the id means, but that of a species in a compartment is a
      // concentration unless it has only substance units: the same convention.
    } else if (is_parameter(s)) {
      out = name_of(id);
    } else {
      out = s.value.empty() ? "0" : s.value;
      if (const auto at = out.find_first_of("*/"); at != std::string::npos) {
        // amount / size: the size at the start.
        const std::string size = out.substr(at + 1);
        out =
            fmt::format("{}{}{}", out.substr(0, at), out[at], bracketed(initial_text(size, line)));
      }
    }
    at_start_ = was;
    open_.erase(id);
    initial_texts_[id] = out;
    return out;
  }

  static std::string bracketed(const std::string& formula) {
    const bool is_word = std::ranges::all_of(formula, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    });
    return is_word ? formula : "(" + formula + ")";
  }

  // -- formulas ----------------------------------------------------------------------------------

  unsigned line_of(const ::ASTNode& node) const {
    const ::SBase* parent = node.getParentSBMLObject();
    return parent != nullptr ? parent->getLine() : 0;
  }

  std::string name_text(const ::ASTNode& node) {
    const std::string id = node.getName();
    if (const ::Reaction* reaction = model_->getReaction(id); reaction != nullptr) {
      return at_start_ ? bracketed(text(*reaction->getKineticLaw()->getMath())) : name_of(id);
    }
    if (!symbols_.contains(id)) {
      fail(line_of(node),
           fmt::format("a formula names \"{}\", which the model does not have.", id));
    }
    if (!at_start_) return name_of(id);
    return bracketed(initial_text(id, line_of(node)));
  }

  std::string joined(const ::ASTNode& node, const char* sign, const char* nothing) {
    if (node.getNumChildren() == 0) return nothing;
    std::string out;
    for (unsigned i = 0; i < node.getNumChildren(); ++i) {
      out += (i > 0 ? sign : "") + bracketed(text(*node.getChild(i)));
    }
    return out;
  }

  /// a < b < c is (a < b) and (b < c).
  std::string chain(const ::ASTNode& node, const char* sign) {
    std::string out;
    for (unsigned i = 0; i + 1 < node.getNumChildren(); ++i) {
      out += fmt::format("{}({}) {} ({})", i > 0 ? " and " : "", text(*node.getChild(i)), sign,
                         text(*node.getChild(i + 1)));
    }
    return "(" + out + ")";
  }

  std::string call(const char* function, const ::ASTNode& node) {
    return fmt::format("{}({})", function, text(*node.getChild(0)));
  }

  std::string piecewise(const ::ASTNode& node) {
    const unsigned n = node.getNumChildren();
    std::string out = n % 2 == 1 ? text(*node.getChild(n - 1)) : "0/0";
    for (unsigned i = n / 2; i-- > 0;) {
      out = fmt::format("if({}, {}, {})", text(*node.getChild(2 * i + 1)),
                        text(*node.getChild(2 * i)), out);
    }
    return out;
  }

  std::string text(const ::ASTNode& node) {
    const auto child = [&](unsigned i) { return bracketed(text(*node.getChild(i))); };
    switch (node.getType()) {
      case AST_INTEGER:
        return number(static_cast<double>(node.getInteger()));
      case AST_REAL:
      case AST_REAL_E:
      case AST_RATIONAL:
      case AST_NAME_AVOGADRO:
        return number(node.getValue());
      case AST_CONSTANT_E:
        return "2.718281828459045";
      case AST_CONSTANT_PI:
        return "pi";
      case AST_CONSTANT_TRUE:
        return "1";
      case AST_CONSTANT_FALSE:
        return "0";
      case AST_NAME_TIME:
        return at_start_ ? "0" : "t";
      case AST_NAME:
        return name_text(node);
      case AST_PLUS:
        return joined(node, " + ", "0");
      case AST_TIMES:
        return joined(node, "*", "1");
      case AST_MINUS:
        return node.getNumChildren() == 1 ? "-" + child(0) : child(0) + " - " + child(1);
      case AST_DIVIDE:
        return child(0) + "/" + child(1);
      case AST_POWER:
      case AST_FUNCTION_POWER:
        return child(0) + "^" + child(1);
      case AST_FUNCTION_ROOT:
        if (node.getNumChildren() == 1) return call("sqrt", node);
        if (node.getChild(0)->isInteger() && node.getChild(0)->getInteger() == 2) {
          return fmt::format("sqrt({})", text(*node.getChild(1)));
        }
        return child(1) + "^(1/" + child(0) + ")";
      case AST_FUNCTION_LN:
        return call("log", node);
      case AST_FUNCTION_LOG:
        if (node.getNumChildren() == 1) return call("log10", node);
        return fmt::format("(log({})/log({}))", text(*node.getChild(1)), text(*node.getChild(0)));
      case AST_FUNCTION_EXP:
        return call("exp", node);
      case AST_FUNCTION_ABS:
        return call("abs", node);
      case AST_FUNCTION_SIN:
        return call("sin", node);
      case AST_FUNCTION_COS:
        return call("cos", node);
      case AST_FUNCTION_TAN:
        return call("tan", node);
      case AST_FUNCTION_ARCSIN:
        return call("asin", node);
      case AST_FUNCTION_ARCCOS:
        return call("acos", node);
      case AST_FUNCTION_ARCTAN:
        return call("atan", node);
      case AST_FUNCTION_SINH:
        return call("sinh", node);
      case AST_FUNCTION_COSH:
        return call("cosh", node);
      case AST_FUNCTION_TANH:
        return call("tanh", node);
      case AST_FUNCTION_MIN:
      case AST_FUNCTION_MAX: {
        std::string out = node.getType() == AST_FUNCTION_MIN ? "min(" : "max(";
        for (unsigned i = 0; i < node.getNumChildren(); ++i) {
          out += (i > 0 ? ", " : "") + text(*node.getChild(i));
        }
        return out + ")";
      }
      case AST_FUNCTION_PIECEWISE:
        return piecewise(node);
      case AST_RELATIONAL_LT:
        return chain(node, "<");
      case AST_RELATIONAL_LEQ:
        return chain(node, "<=");
      case AST_RELATIONAL_GT:
        return chain(node, ">");
      case AST_RELATIONAL_GEQ:
        return chain(node, ">=");
      case AST_RELATIONAL_EQ:
        return chain(node, "==");
      case AST_RELATIONAL_NEQ:
        return chain(node, "!=");
      case AST_LOGICAL_AND:
        return "(" + joined(node, " and ", "1") + ")";
      case AST_LOGICAL_OR:
        return "(" + joined(node, " or ", "0") + ")";
      case AST_LOGICAL_NOT:
        return "(not " + child(0) + ")";
      default: {
        const char* name = node.getName();
        fail(line_of(node), fmt::format("a formula uses {}, which is not supported.",
                                        name != nullptr ? fmt::format("\"{}\"", name)
                                                        : "a function that formulas do not have"));
      }
    }
  }

  /// Negative numbers in brackets: 2^-3 and -3^2 keep their meaning.
  static std::string number(double x) {
    return x < 0 ? "(" + number_text(x) + ")" : number_text(x);
  }

  void note_units() {
    if (model_->getNumUnitDefinitions() > 0) {
      out_.warnings.emplace_back(
          "the units of the SBML file are not checked: numbers are taken as they stand");
    }
  }

  ::SBMLDocument& document_;
  std::string file_;
  const std::set<std::string>& given_;
  const ::Model* model_ = nullptr;
  SbmlModel out_;
  std::map<std::string, Symbol> symbols_;
  std::vector<std::string> order_;  ///< of the symbols in the file
  std::map<std::string, std::string> initial_texts_;
  std::set<std::string> open_;
  bool at_start_ = false;  ///< formulas are those of initial values
};

}  // namespace

SbmlModel read_sbml_text(const std::string& text, const std::string& file_name,
                         const std::set<std::string>& given) {
  const std::unique_ptr<::SBMLDocument> document(::readSBMLFromString(text.c_str()));
  return SbmlReader(*document, file_name, given).read();
}

SbmlModel read_sbml(const std::filesystem::path& file, const std::set<std::string>& given) {
  return read_sbml_text(read_text_file(file), file.string(), given);
}

}  // namespace parfait::io
