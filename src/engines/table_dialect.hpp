#pragma once

#include "engines/counter_rules.hpp"
#include "engines/dialect.hpp"
#include "engines/request_body.hpp"

namespace tokenjoule {

/// All that sets one engine apart. One table a file in engines/dialects/; docs/engines.md has a row
/// for each.
struct DialectTable {
  std::string_view name;
  /// EngineDialect::fits(). 100: it names itself; 50 to 90: pages or counters that only it has.
  int (*fits)(const ProbeAnswers& answers);
  RequestFields request = {};
  bool token_id_prompts = false;
  bool one_request_at_a_time = false;
  std::vector<std::string> further_pages = {};
  std::string metrics_path = "/metrics";
  std::string why_no_metrics = "the engine has no metrics page";
  std::vector<CounterRule> counters = {};
  PageTraits traits = {};
  std::vector<std::string> limits = {};
  /// Adds to what /v1/models told; nullptr where there is nothing to add.
  void (*describe)(EngineInfo& info, const ProbeAnswers& answers) = nullptr;
};

class TableDialect final : public EngineDialect {
 public:
  explicit TableDialect(DialectTable table) : table_(std::move(table)) {}
  const DialectTable& table() const { return table_; }

  std::string_view name() const override { return table_.name; }
  int fits(const ProbeAnswers& answers) const override { return table_.fits(answers); }
  std::string request_body(const RequestSpec& spec) const override;
  bool takes_token_ids() const override { return table_.token_id_prompts; }
  bool takes_ignore_eos() const override;
  bool lists_token_ids() const override { return table_.request.return_token_ids; }
  std::vector<std::string> further_pages() const override { return table_.further_pages; }
  std::string_view metrics_path() const override { return table_.metrics_path; }
  std::string_view why_no_metrics() const override { return table_.why_no_metrics; }
  std::vector<std::string> limits() const override { return table_.limits; }
  bool one_request_at_a_time() const override { return table_.one_request_at_a_time; }
  std::vector<EngineCounter> counters_on(const PrometheusPage& page) const override;
  EngineInfo described_by(const ProbeAnswers& answers) const override;

 private:
  DialectTable table_;
};

}  // namespace tokenjoule
