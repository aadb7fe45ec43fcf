#include "published/selection.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "published/importers.hpp"
#include "published/published_table.hpp"

namespace tokenjoule {
namespace {

/// Three rows of one model and lengths, and one of another model; 1370 W each.
constexpr std::string_view kRows = R"([
{"hw":"h200","infmax_model_prefix":"dsr1","framework":"trt","tp":8,"isl":1024,"osl":1024,"conc":4,"tput_per_gpu":100,"output_tput_per_gpu":50,"mean_intvty":50},
{"hw":"h200","infmax_model_prefix":"dsr1","framework":"sglang","tp":8,"isl":1024,"osl":1024,"conc":8,"tput_per_gpu":200,"output_tput_per_gpu":100,"median_intvty":40},
{"hw":"h200","infmax_model_prefix":"dsr1","framework":"vllm","tp":8,"isl":1024,"osl":1024,"conc":16,"tput_per_gpu":150,"output_tput_per_gpu":75,"mean_intvty":30},
{"hw":"h200","infmax_model_prefix":"glm5","framework":"vllm","tp":8,"isl":1024,"osl":1024,"conc":16,"tput_per_gpu":10,"output_tput_per_gpu":5,"mean_intvty":1}])";

struct World {
  PublishedSet set;
  Footing footing;
  std::vector<TableLine> lines;

  explicit World(FootingOptions options = {}) {
    read_published("rows", kRows, set);
    footing = footing_of(set, {0, 1, 2, 3}, options);
    for (const auto& figure : footing.figures) lines.push_back({&set.rows[figure.row], &figure});
  }

  std::string frameworks(const std::vector<TableLine>& of) const {
    std::string names;
    for (const auto& line : of) names += std::string(line.row->framework) + ' ';
    return names;
  }

  std::string meeting(std::string_view where) const {
    const auto conditions = conditions_in(where, {}).value();
    std::vector<TableLine> met;
    for (const auto& line : lines) {
      bool all = true;
      for (const auto& condition : conditions) all = all && condition.holds(line);
      if (all) met.push_back(line);
    }
    return frameworks(met);
  }
};

TEST(Conditions, KeepTheLinesThatMeetAllTerms) {
  const World world;
  EXPECT_EQ(world.meeting("model=dsr1 interactivity>=40"), "trt sglang ");
  EXPECT_EQ(world.meeting("model=DSR1 conc<16 conc>4"), "sglang ");
  EXPECT_EQ(world.meeting("framework~s"), "sglang ");
  EXPECT_EQ(world.meeting("framework!=vllm"), "trt sglang ");
  EXPECT_EQ(world.meeting("j_total<=13.7"), "trt sglang vllm ");
  EXPECT_EQ(world.meeting("framework='trt'"), "trt ");
}

TEST(Conditions, AnAbsentValueMeetsNoTermButUnequal) {
  const World world;
  EXPECT_EQ(world.meeting("image=x"), "");
  EXPECT_EQ(world.meeting("ttft<100"), "");
  EXPECT_EQ(world.meeting("image!=x model=glm5"), "vllm ");
}

TEST(Conditions, WhatCannotBeMeantIsSaid) {
  EXPECT_NE(conditions_in("modle=x", {}).error().message.find("did you mean model"),
            std::string::npos);
  EXPECT_FALSE(conditions_in("model", {}));
  EXPECT_FALSE(conditions_in("conc>=many", {}));
}

TEST(SortLines, SortsWithinAKindUnlessToldOtherwise) {
  FootingOptions options;
  options.kinds = {EnergyKind::provisioned, EnergyKind::ceiling};
  World world(options);
  const auto keys = sort_keys_in("j_total", {}).value();
  sort_lines(world.lines, keys, Ranking::by_kind);
  EXPECT_EQ(world.lines.front().figure->kind, EnergyKind::provisioned);
  EXPECT_EQ(world.frameworks(world.lines), "sglang vllm trt vllm sglang vllm trt vllm ");
  sort_lines(world.lines, keys, Ranking::together);
  EXPECT_EQ(world.lines.front().figure->kind, EnergyKind::ceiling);
}

TEST(SortLines, AbsentValuesComeLastWhicheverWayTheKeyRuns) {
  World world;
  sort_lines(world.lines, sort_keys_in("conc:desc,framework", {}).value(), Ranking::by_kind);
  EXPECT_EQ(world.frameworks(world.lines), "vllm vllm sglang trt ");
  world.set.rows[0].concurrency.reset();
  sort_lines(world.lines, sort_keys_in("conc:desc", {}).value(), Ranking::by_kind);
  EXPECT_EQ(world.lines.back().row->framework, "trt");
}

TEST(Frontier, KeepsWhatNoOtherOfItsModelBeatsInBoth) {
  const World world;
  // vllm (30 tok/s, 9.1 J) is beaten by sglang (40 tok/s, 6.9 J); the other model stands alone.
  EXPECT_EQ(world.frameworks(frontier_of(world.lines)), "trt sglang vllm ");
  EXPECT_EQ(frontier_of(world.lines).back().row->model, "glm5");
}

PublishedTable table_of(const World& world) {
  std::vector<Column> columns;
  for (const auto* name : {"framework", "interactivity", "j_total", "wh_answer"})
    columns.push_back(column_named(name, {}).value());
  return {&world.set, &world.footing, world.lines, columns, {{"ps5", 200}}, false, "1.2.3"};
}

TEST(PublishedTableText, ShowsMediansMarkedAndAbsentValuesAsSuch) {
  const World world;
  const std::string text = published_terminal(table_of(world));
  EXPECT_NE(text.find("framework  tok/s/user  J/tok  Wh/answer  of\n"
                      "trt                50   13.7  n/a        [1]\n"
                      "sglang            40m   6.85  n/a        [1]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("provisioned: watts that a planner sets aside"), std::string::npos);
  EXPECT_NE(text.find("m: median; no mean was published"), std::string::npos);
  EXPECT_NE(text.find("Apache License 2.0"), std::string::npos);
}

TEST(PublishedTableText, MarkdownAndCsvHoldTheSame) {
  const World world;
  EXPECT_NE(published_markdown(table_of(world)).find("| trt | 50 | 13.7 | n/a | \\[1] |\n"),
            std::string::npos);
  const std::string csv = published_csv(table_of(world));
  EXPECT_NE(csv.find(",ps5_min,interactivity_is_median,attribution\n"), std::string::npos);
  EXPECT_NE(csv.find("inferencex,dsr1,,h200,h200,8,"), std::string::npos);
}

TEST(SortLines, LinesOfRowsWithErrorsComeLastWhateverTheKey) {
  World world;
  // The third takes least, the first is fastest for a user.
  world.lines[1].errors = "R04";
  const auto keys = sort_keys_in("wh_query", {}).value();
  sort_lines(world.lines, keys, Ranking::by_kind);
  EXPECT_EQ(world.frameworks(world.lines), "vllm trt vllm sglang ");
  const auto down = sort_keys_in("interactivity:desc", {}).value();
  sort_lines(world.lines, down, Ranking::together);
  EXPECT_EQ(world.frameworks(world.lines), "trt vllm vllm sglang ");
}

TEST(Frontier, ARowWithAnErrorIsNotOnItAndBeatsNobody) {
  World world;
  world.lines[1].errors = "R04";
  // Without sglang, vllm takes less than trt and is slower: both stay.
  EXPECT_EQ(world.frameworks(frontier_of(world.lines)), "trt vllm vllm ");
}

TEST(LineOf, SaysFlagsAndErrors) {
  World world;
  world.set.rows[0].mark(RowFlag::seeded_lengths);
  const TableLine line = line_of(world.set, world.footing.figures[0], "R04;R05");
  EXPECT_EQ(line.flags, "error:R04;error:R05;seeded_lengths");
  EXPECT_TRUE(line.has_error());
  EXPECT_EQ(line_of(world.set, world.footing.figures[1], {}).flags, "");
}

TEST(PublishedTableText, EveryFormatMarksErrorsAndSaysWhoseRowsTheyAre) {
  World world;
  const TableLine line = line_of(world.set, world.footing.figures[0], "R04");
  PublishedTable table{&world.set, &world.footing, {line}, {}, {}, false, "1"};
  table.columns.push_back(column_named("flags", {}).value());
  for (const PublishedFormat& format : published_formats()) {
    const std::string text = format.render(table);
    EXPECT_NE(text.find("error:R04"), std::string::npos) << format.name;
    EXPECT_NE(text.find("InferenceX"), std::string::npos) << format.name;
    EXPECT_NE(text.find("Apache License 2.0"), std::string::npos) << format.name;
  }
  EXPECT_NE(published_terminal(table).find("[1] InferenceX\n"), std::string::npos);
}

TEST(PublishedTableText, ForeignTextCannotBreakACell) {
  PublishedSet set;
  read_published("rows",
                 R"([{"hw":"h200","framework":"a|b\n=c,\"d\u001b[31m","tp":1,"tput_per_gpu":1}])",
                 set);
  const Footing footing = footing_of(set, {0}, {});
  PublishedTable table{&set, &footing, {{&set.rows[0], &footing.figures[0]}}, {}, {}, false, "1"};
  table.columns.push_back(column_named("framework", {}).value());
  for (const PublishedFormat& format : published_formats()) {
    const std::string text = format.render(table);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << format.name;
  }
  EXPECT_NE(published_markdown(table).find("a\\|b"), std::string::npos);
}

TEST(Comparators, HaveWattsOfTheirOwnOrGiven) {
  EXPECT_EQ(comparator_in("PS5")->watts, 200);
  EXPECT_EQ(comparator_in("kettle=2000")->watts, 2000);
  EXPECT_FALSE(comparator_in("kettle"));
  EXPECT_FALSE(comparator_in("kettle=0"));
}

TEST(Columns, EveryOneIsInTheDocumentation) {
  std::ifstream file(TOKENJOULE_SOURCE_DIR "/docs/published.md");
  const std::string docs(std::istreambuf_iterator<char>(file), {});
  std::set<std::string> words;
  std::string word;
  for (const char c : docs) {
    const bool part = c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (part) word += c;
    if (!part) words.insert(std::exchange(word, {}));
  }
  for (const Column& column : published_columns())
    EXPECT_TRUE(words.count(column.name)) << column.name;
  for (int flag = 0; flag <= static_cast<int>(RowFlag::no_throughput); ++flag) {
    const std::string name(name_of(static_cast<RowFlag>(flag)));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(words.count(name)) << name;
  }
  for (const Importer& importer : importers()) EXPECT_TRUE(words.count(std::string(importer.name)));
}

TEST(Columns, EveryOneHasANameAHeaderAndWords) {
  for (const Column& column : published_columns()) {
    EXPECT_FALSE(column.name.empty() || column.header.empty() || column.words.empty())
        << column.name;
  }
  for (const auto& name : default_columns()) EXPECT_TRUE(column_named(name, {})) << name;
}

}  // namespace
}  // namespace tokenjoule
