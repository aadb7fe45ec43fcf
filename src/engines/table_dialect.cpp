#include "engines/table_dialect.hpp"

#include "engines/probe_answers.hpp"

namespace tokenjoule {

std::string TableDialect::request_body(const RequestSpec& spec) const {
  return request_body_with(table_.request, spec);
}

bool TableDialect::takes_ignore_eos() const {
  return table_.request.ignore_eos || !table_.request.min_tokens.empty();
}

std::vector<EngineCounter> TableDialect::counters_on(const PrometheusPage& page) const {
  return counters_by(table_.counters, table_.traits, page);
}

EngineInfo TableDialect::described_by(const ProbeAnswers& answers) const {
  EngineInfo info = info_from_models(table_.name, answers);
  info.limits = table_.limits;
  if (table_.describe != nullptr) table_.describe(info, answers);
  return info;
}

}  // namespace tokenjoule
