// Runs and training.
#include <sstream>

#include "tc/doors/c/handles.h"
#include "tc/ir/text/spelling.h"

struct tc_compiled {
  tc::Compiled program;
  std::vector<tc::ValueInfo> outputs;
};
struct tc_run_options {
  std::atomic<bool> cancelled = false;
  int64_t timeout_ms = 0;
  bool profiles = false;
  std::vector<tc::StepTime> steps;
};
struct tc_trainer {
  tc::Trainer trainer;
};

namespace tc::c {
namespace {

void check_outputs(size_t given, size_t has, tc_tensor** outputs) {
  if (given > has) fail(ErrorCode::bad_argument, given, " outputs are asked for, the program has ", has);
  if (given) needed(outputs, "outputs");
}

Optimizer optimizer(OptionReader& read) {
  double rate = 1e-3, momentum = 0, decay = -1;
  read.number("rate", rate);
  read.number("momentum", momentum);
  read.number("weight_decay", decay);
  const size_t kind = read.choice("optimizer", {"sgd", "adam", "adamw", "rmsprop"}, 0);
  if (momentum != 0 && (kind == 1 || kind == 2))
    fail(ErrorCode::bad_argument, "tc_trainer_create: option momentum is for sgd and rmsprop");
  const auto chosen = [&](auto options) {  // with a decay where one is given
    if (decay >= 0) options.weight_decay = decay;
    return options;
  };
  switch (kind) {
    case 1:
      return adam(rate, chosen(AdamOptions{}));
    case 2:
      return adamw(rate, chosen(AdamWOptions{}));
    case 3:
      return rmsprop(rate, chosen(RmspropOptions{.momentum = momentum}));
    default:
      return sgd(rate, chosen(SgdOptions{.momentum = momentum}));
  }
}

std::string as_json(const std::vector<StepTime>& steps) {
  std::ostringstream out;
  out << "[";
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepTime& s = steps[i];
    out << (i ? ",\n" : "\n") << R"({"op": )" << text::json_quoted(s.op) << R"(, "node": )" << text::json_quoted(s.node)
        << R"(, "kernel": )" << text::json_quoted(s.kernel) << R"(, "depth": )" << s.depth << R"(, "begin_ns": )"
        << s.begin_ns << R"(, "end_ns": )" << s.end_ns << R"(, "flops": )" << s.flops << R"(, "bytes": )" << s.bytes
        << "}";
  }
  out << "\n]\n";
  return out.str();
}

}  // namespace
}  // namespace tc::c

using namespace tc;
using namespace tc::c;

extern "C" {

tc_status tc_compile(const tc_function* f, const tc_options* options, tc_compiled** out) {
  return guard([&] {
    needed(out, "out");
    OptionReader read(options, "tc_compile");
    const CompilerOptions o = compiler_options(read);
    read.finish();
    const Function& function = needed(f, "f").function;
    *out = new tc_compiled{compile(function, o), function.outputs()};
  });
}

tc_status tc_run(const tc_compiled* compiled, tc_run_options* options, const tc_tensor* const* inputs,
                 size_t input_count, tc_tensor** outputs, size_t output_count) {
  return guard([&] {
    const tc_compiled& c = needed(compiled, "compiled");
    check_outputs(output_count, c.outputs.size(), outputs);
    std::vector<Datum> values;
    for (Tensor& t : tensors_of(inputs, input_count, "inputs")) values.emplace_back(std::move(t));
    RunOptions run;
    if (options) {
      options->steps.clear();
      run.cancel = &options->cancelled;
      if (options->timeout_ms > 0)
        run.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options->timeout_ms);
      if (options->profiles) run.profile = &options->steps;
    }
    std::vector<Tensor> results;
    const std::vector<Datum> made = c.program.run(std::move(values), run);
    for (size_t i = 0; i < output_count; ++i) {
      if (!made[i].is_tensor())
        fail(ErrorCode::unsupported, "output '", c.outputs[i].name, "' is ", c.outputs[i].type,
             "; the C interface has tensors alone");
      results.push_back(made[i].tensor());
    }
    give_out(std::move(results), outputs);
  });
}

void tc_compiled_trim(const tc_compiled* compiled) {
  if (compiled) compiled->program.trim();
}

void tc_compiled_release(tc_compiled* compiled) {
  delete compiled;
}

tc_status tc_run_options_create(tc_run_options** out) {
  return guard([&] { needed(out, "out") = new tc_run_options; });
}

void tc_run_options_cancel(tc_run_options* options) {
  if (options) options->cancelled = true;
}

tc_status tc_run_options_set_timeout(tc_run_options* options, int64_t milliseconds) {
  return guard([&] {
    if (milliseconds < 0) fail(ErrorCode::bad_argument, "a run cannot take ", milliseconds, " milliseconds");
    needed(options, "options").timeout_ms = milliseconds;
  });
}

tc_status tc_run_options_set_profile(tc_run_options* options, int on) {
  return guard([&] { needed(options, "options").profiles = on != 0; });
}

tc_status tc_run_options_profile(const tc_run_options* options, char** json) {
  return guard([&] {
    needed(json, "json");
    *json = copy_of(as_json(needed(options, "options").steps));
  });
}

void tc_run_options_release(tc_run_options* options) {
  delete options;
}

tc_status tc_trainer_create(const tc_function* loss, const tc_options* options, tc_trainer** out) {
  return guard([&] {
    needed(out, "out");
    OptionReader read(options, "tc_trainer_create");
    const Optimizer how = optimizer(read);
    TrainOptions train;
    read.number("clip_norm", train.clip_norm);
    const CompilerOptions o = compiler_options(read);
    read.finish();
    *out = new tc_trainer{Trainer(needed(loss, "loss").function, how, train, o)};
  });
}

tc_status tc_trainer_step(tc_trainer* trainer, const tc_tensor* const* inputs, size_t input_count, tc_tensor** outputs,
                          size_t output_count) {
  return guard([&] {
    Trainer& t = needed(trainer, "trainer").trainer;
    check_outputs(output_count, t.function().outputs().size() - t.state().size(), outputs);
    std::vector<Tensor> results = t.step(tensors_of(inputs, input_count, "inputs"));
    results.resize(output_count);
    give_out(std::move(results), outputs);
  });
}

tc_status tc_trainer_parameters(const tc_trainer* trainer, tc_tensors** out) {
  return guard([&] {
    needed(out, "out");
    *out = new tc_tensors{needed(trainer, "trainer").trainer.parameters()};
  });
}

tc_status tc_trainer_state(const tc_trainer* trainer, tc_tensors** out) {
  return guard([&] {
    needed(out, "out");
    *out = new tc_tensors{needed(trainer, "trainer").trainer.state()};
  });
}

tc_status tc_trainer_set_state(tc_trainer* trainer, const tc_tensors* state) {
  return guard([&] { needed(trainer, "trainer").trainer.set_state(needed(state, "state").list); });
}

void tc_trainer_release(tc_trainer* trainer) {
  delete trainer;
}

}  // extern "C"
