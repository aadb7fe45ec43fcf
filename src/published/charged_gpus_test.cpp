// Which GPUs' energy is in a figure, and that all figures of a row are of the same ones.
#include <gtest/gtest.h>

#include "published/columns.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

struct World {
  PublishedSet set;
  Footing footing;

  explicit World(std::string_view rows, EnergyKind kind = EnergyKind::measured_gpu) {
    read_published("rows.json", rows, set);
    finish(set);
    FootingOptions options;
    options.kinds = {kind};
    footing = footing_of(set, all_of(set), options);
  }
  const PublishedFigure& figure() const { return footing.figures.at(0); }
};

TEST(ChargedGpus, ARunOnPartOfANodeSaysThatTheWholeNodeIsCharged) {
  // 8 boards of 400 W were read, the model runs on 4: 3200 W / 1000 tokens/s.
  World world(R"([{"hw":"b200","model":"x","framework":"sglang","tp":4,"isl":1024,"osl":1024,
    "conc":16,"metrics":{"total_token_throughput":2000,"output_token_throughput":1000},
    "gpu":{"n_gpus":8,"mean_power_per_gpu_w":400,"total_avg_power_w":3200}}])");
  const PublishedFigure& figure = world.figure();
  EXPECT_DOUBLE_EQ(*figure.j_output, 3.2);
  EXPECT_EQ(gpus_used(world.set.rows[0]), 4.0);
  EXPECT_EQ(figure.gpus_charged, 8.0);
  EXPECT_NE(figure.basis.find("8 GPUs charged, the model runs on 4"), std::string_view::npos);
  EXPECT_NE(line_of(world.set, figure, {}).flags.find("idle_gpus_charged"), std::string_view::npos);
}

TEST(ChargedGpus, IdleGpusOfTheNodeAreInTheWattsOfALineThatChargesThem) {
  PublishedSet set;
  PublishedResult& row = set.rows.emplace_back();
  row.gpus = 2;
  row.completed = 100;
  row.duration_s = 10;
  row.energy.gpu_mean_w = 500;
  row.energy.all_gpus_mean_w = 1000;
  row.energy.idle_gpus = 6;
  row.energy.idle_gpus_w = 600;
  FootingOptions options;
  options.kinds = {EnergyKind::measured_gpu};
  const auto footing = footing_of(set, {0}, options);
  ASSERT_EQ(footing.figures.size(), 2U);
  EXPECT_EQ(footing.figures[0].gpu_w, 500.0);
  EXPECT_EQ(footing.figures[0].gpus_charged, 2.0);
  EXPECT_FALSE(charges_idle_gpus(row, footing.figures[0]));
  const PublishedFigure& charged = footing.figures[1];
  EXPECT_EQ(charged.system_w, 1600.0);
  EXPECT_EQ(charged.gpu_w, 200.0);  // 1600 W / 8
  EXPECT_EQ(charged.gpus_charged, 8.0);
  EXPECT_DOUBLE_EQ(*charged.j_answer, 160.0);  // 1600 W * 10 s / 100
  EXPECT_TRUE(charges_idle_gpus(row, charged));
  EXPECT_NE(charged.basis.find("idle GPUs of the node charged as well; 8 GPUs charged, the model "
                               "runs on 2"),
            std::string_view::npos);
}

/// 4 prefill and 8 decode GPUs of 300 W stated, 16 read; input and output 4000 and 2000 tokens/s.
constexpr std::string_view kDisaggregated =
    R"([{"hw":"mi355x","infmax_model_prefix":"dsr1","disagg":true,"is_multinode":true,
    "prefill_tp":4,"prefill_num_workers":1,"num_prefill_gpu":4,"decode_tp":8,
    "decode_num_workers":1,"num_decode_gpu":8,"isl":1024,"osl":1024,"conc":4,"tput_per_gpu":500,
    "input_tput_per_gpu":1000,"output_tput_per_gpu":250,"avg_power_w":300,
    "joules_per_total_token":0.8,"joules_per_output_token":1.1}])";

TEST(ChargedGpus, ADisaggregatedRowHasOneBasisForAllOfItsFigures) {
  World world(kDisaggregated);
  const PublishedFigure& figure = world.figure();
  // 0.8 J * 6000 tokens/s = 4800 W = 16 boards of 300 W. The 1.1 J are of decode GPUs alone.
  EXPECT_DOUBLE_EQ(*figure.system_w, 4800);
  EXPECT_DOUBLE_EQ(*figure.j_total, 0.8);
  EXPECT_DOUBLE_EQ(*figure.j_output, 2.4);
  EXPECT_DOUBLE_EQ(*figure.j_input, 1.2);
  EXPECT_EQ(figure.gpus_charged, 16.0);
  EXPECT_NE(figure.basis.find("mean of the cluster"), std::string_view::npos);
  EXPECT_NE(figure.basis.find("16 GPUs charged, the model runs on 12"), std::string_view::npos);
}

TEST(ChargedGpus, ARowWhosePowerFitsItsGpusKeepsThem) {
  World world(R"([{"hw":"h200","infmax_model_prefix":"dsr1","tp":8,"isl":1024,"osl":1024,"conc":4,
    "tput_per_gpu":500,"output_tput_per_gpu":250,"avg_power_w":300,"joules_per_total_token":0.6,
    "joules_per_output_token":1.2}])");
  const PublishedFigure& figure = world.figure();
  EXPECT_EQ(figure.system_w, 2400.0);
  EXPECT_EQ(figure.gpus_charged, 8.0);
  EXPECT_EQ(figure.j_output, 1.2);
}

TEST(ChargedGpus, ARowWithoutAGpusNameSaysWhatToDo) {
  World world(R"([{"max_concurrency":4,"model_id":"m","duration":10,"completed":5,
    "total_output_tokens":100,"output_throughput":10,"total_token_throughput":20}])",
              EnergyKind::ceiling);
  ASSERT_EQ(world.footing.refusals.size(), 1U);
  World named(R"([{"hw":"","tp":8,"tput_per_gpu":5,"conc":4}])", EnergyKind::provisioned);
  ASSERT_EQ(named.footing.refusals.size(), 1U);
  EXPECT_EQ(named.footing.refusals[0].why, "it names no GPU");
}

}  // namespace
}  // namespace tokenjoule
