#include "tests/samples/sample.h"

namespace tc {

void samples_core(std::vector<Sample>& samples) {
  samples.push_back({"constant", [](SampleGraph& g) { g.outputs({g.b.constant(g.random(DType::f32, {2, 3}))}); }});
  samples.push_back({"parameter", [](SampleGraph& g) {
                       g.outputs({g.b.make<Parameter>({}, {"weight", g.random(DType::f32, {2, 3})})});
                     }});
  samples.push_back({"return", [](SampleGraph& g) { g.outputs({g.input(DType::f32, {2})}); }});
  samples.push_back({"identity", [](SampleGraph& g) {
                       g.outputs({g.b.make<Identity>({g.input(DType::f32, {2, 0})})});
                     }});
  samples.push_back({"stop_gradient", [](SampleGraph& g) {
                       Value* x = g.input(DType::f32, {2, 3});
                       g.outputs({g.b.make<Add>({g.b.make<StopGradient>({x}), x})});
                     }});
  samples.push_back({"check", [](SampleGraph& g) {
                       Value* x = g.input(DType::f32, {2, 3});
                       g.b.make_n<Check>({g.b.make<Equal>({x, x})}, {"x is not a number"}, 0);
                       g.outputs({g.b.make<Identity>({x})});
                     }});
  samples.push_back({"call", [](SampleGraph& g) {
                       Graph& f = g.module->add_function("f");
                       Value* x = f.add_input(Type::tensor(DType::f32, {Dim(3)}), "x");
                       Builder inner(f);
                       Value* y = inner.make<Identity>({x});
                       f.set_outputs(std::vector<Value*>{y, x});
                       Node* call = g.b.make_n<Call>({g.input(DType::f32, {3})}, {"f"}, 2);
                       g.outputs({call->result(0), call->result(1)});
                     }});
}

}  // namespace tc
