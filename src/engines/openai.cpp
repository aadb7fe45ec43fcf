#include "engines/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

/// Any other server of the OpenAI API: only the fields that all of them take, no counters, since
/// the meaning of a counter is known for a known engine only.
class OpenAi final : public EngineDialect {
 public:
  std::string_view name() const override { return "openai"; }

  int fits(const ProbeAnswers& answers) const override {
    return model_names(answers).empty() ? 0 : 1;
  }
  bool takes_token_ids() const override { return false; }
  bool takes_ignore_eos() const override { return false; }

  std::vector<EngineCounter> counters_on(const PrometheusPage&) const override { return {}; }

  EngineInfo described_by(const ProbeAnswers& answers) const override {
    EngineInfo info = info_from_models(name(), answers);
    if (const auto version = json_at(answers, "/version")) {
      info.version = version->root()["version"].string().value_or("");
      info.simulated = version->root()["simulated"].boolean().value_or(false);
    }
    return info;
  }
};

}  // namespace

const EngineDialect& openai_dialect() {
  static const OpenAi dialect;
  return dialect;
}

}  // namespace tokenjoule
