#include "sensors/prometheus/promql_answer.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(PromqlAnswer, AVectorIsOneSeriesForEachLabelSet) {
  const auto answer = promql_answer_in(
      R"({"status":"success","data":{"resultType":"vector","result":[
        {"metric":{"__name__":"p","instance":"n7","gpu":"0"},"value":[1796000000.25,"512.5"]},
        {"metric":{"__name__":"p","instance":"n7","gpu":"1"},"value":[1796000000.25,"NaN"]}]}})");
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  ASSERT_EQ(answer->series.size(), 2u);
  EXPECT_EQ(text_of(answer->series[0].labels), "gpu=0,instance=n7");
  ASSERT_EQ(answer->series[0].samples.size(), 1u);
  EXPECT_EQ(answer->series[0].samples[0].unix_s, 1796000000.25);
  EXPECT_EQ(answer->series[0].samples[0].value, 512.5);
  EXPECT_TRUE(answer->series[1].samples.empty()) << "NaN is absent, not 0";
}

TEST(PromqlAnswer, AMatrixKeepsEachSamplesOwnStamp) {
  const auto answer = promql_answer_in(
      R"({"status":"success","data":{"resultType":"matrix","result":[
        {"metric":{},"values":[[10,"1"],[25.5,"2"],[40,"+Inf"]]}]},"warnings":["partial data"]})");
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  ASSERT_EQ(answer->series.at(0).samples.size(), 2u);
  EXPECT_EQ(answer->series[0].samples[1].unix_s, 25.5);
  EXPECT_EQ(answer->warnings, std::vector<std::string>{"partial data"});
}

TEST(PromqlAnswer, SamplesThatGoBackInTimeAreNoAnswer) {
  const auto answer = promql_answer_in(
      R"({"status":"success","data":{"resultType":"matrix","result":[
        {"metric":{},"values":[[82,"1"],[25.5,"2"]]}]}})");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ErrorKind::retry);
  EXPECT_NE(answer.error().message.find("not in time order"), std::string::npos);
}

TEST(PromqlAnswer, AScalarHasNoLabels) {
  const auto answer = promql_answer_in(
      R"({"status":"success","data":{"resultType":"scalar","result":[5.5,"5.5"]}})");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->series.at(0).samples.at(0).value, 5.5);
  EXPECT_EQ(text_of(answer->series[0].labels), "");
}

TEST(PromqlAnswer, ARefusedQueryIsAUsageErrorAndAnythingElseMayPass) {
  const auto bad = promql_answer_in(
      R"({"status":"error","errorType":"bad_data","error":"parse error: unexpected end"})");
  EXPECT_EQ(bad.error().kind, ErrorKind::usage);
  EXPECT_NE(bad.error().message.find("unexpected end"), std::string::npos);
  EXPECT_EQ(
      promql_answer_in(R"({"status":"error","errorType":"timeout","error":"x"})").error().kind,
      ErrorKind::retry);
  for (const char* text :
       {"", "<html>", "{}", "[]", R"({"status":"success"})",
        R"({"status":"success","data":{"resultType":"string","result":[1,"x"]}})",
        R"({"status":"success","data":{"resultType":"vector","result":[{"value":["x",1]}]}})"}) {
    EXPECT_EQ(promql_answer_in(text).error().kind, ErrorKind::retry) << text;
  }
}

TEST(PromqlPath, EscapesWhatAUrlCannotHold) {
  EXPECT_EQ(promql_path("up{a=\"b c\"}[5m]"),
            "/api/v1/query?query=up%7Ba%3D%22b%20c%22%7D%5B5m%5D");
}

TEST(ExtrapolatingFunction, IsFoundWhereItIsCalledAndNotInNamesOrStrings) {
  EXPECT_EQ(extrapolating_function_in("sum(rate(joules_total[5m]))"), "rate");
  EXPECT_EQ(extrapolating_function_in("increase (x[1h])"), "increase");
  EXPECT_EQ(extrapolating_function_in("node_power_rate"), "");
  EXPECT_EQ(extrapolating_function_in("sum(error_rate)"), "");
  EXPECT_EQ(extrapolating_function_in("x{a=\"rate(\"}"), "");
  EXPECT_EQ(extrapolating_function_in("x{a=\"\\\"rate(\"} + delta(y[1m])"), "delta");
  EXPECT_EQ(extrapolating_function_in(""), "");
}

TEST(Base64, FollowsTheVectorsOfRfc4648) {
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace tokenjoule
