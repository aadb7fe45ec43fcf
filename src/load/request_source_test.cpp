#include "load/request_source.hpp"

#include <set>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

/// The id of a request can be told from its body: each has a length of its own under this seed.
class FirstTokenDialect final : public EngineDialect {
 public:
  std::string_view name() const override { return "first_token"; }
  int fits(const ProbeAnswers&) const override { return 0; }
  std::string request_body(const RequestSpec& spec) const override {
    return std::to_string(spec.prompt.token_ids.at(0)) + " " + std::to_string(spec.output_tokens);
  }
  bool takes_token_ids() const override { return true; }
  bool takes_ignore_eos() const override { return true; }
  std::vector<EngineCounter> counters_on(const PrometheusPage&) const override { return {}; }
  EngineInfo described_by(const ProbeAnswers&) const override { return {}; }
};

Workload small_workload() {
  LoadOptions options;
  options.nonce = "n";
  options.input_length = fixed_length(3);
  options.output_length = length_spec_in("1-50").value();
  return Workload(options, {});
}

TEST(RequestSource, GivesRequestsInTheOrderOfTheirNumbersByKind) {
  const FirstTokenDialect dialect;
  RequestSource source(small_workload(), dialect, 16);
  EXPECT_EQ(source.next(RequestKind::warmup).id, kFirstWarmupId);
  EXPECT_EQ(source.next(RequestKind::measured).id, 0U);
  EXPECT_EQ(source.next(RequestKind::measured).id, 1U);
  EXPECT_EQ(source.next(RequestKind::warmup).id, kFirstWarmupId + 1);
}

TEST(RequestSource, EachNumberIsGivenOnceHoweverFastTheyAreTaken) {
  const FirstTokenDialect dialect;
  const Workload workload = small_workload();
  RequestSource source(small_workload(), dialect, 16);
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 500; ++i) {
    const PreparedRequest request = source.next(RequestKind::measured);
    ids.insert(request.id);
    EXPECT_EQ(request.body, dialect.request_body(workload.spec(request.id)));
    EXPECT_EQ(request.asked.output, workload.lengths(request.id).output);
  }
  EXPECT_EQ(ids.size(), 500U);
  EXPECT_LE(*ids.rbegin(), 500U);  // at most one was being made when the last was taken
}

}  // namespace
}  // namespace tokenjoule
