#pragma once

#include "published/audit/audit_row.hpp"

namespace tokenjoule {

// A function a rule; what each looks at, its threshold and its source stand in the table of
// audit_rules.cpp.

void check_values(const AuditRow& row, AuditReport& report);          // R01
void check_unread(const AuditSet& set, AuditReport& report);          // R01
void check_placeholders(const AuditRow& row, AuditReport& report);    // R02
void check_sum(const AuditRow& row, AuditReport& report);             // R03
void check_reciprocals(const AuditRow& row, AuditReport& report);     // R04
void check_rate_deviation(const AuditRow& row, AuditReport& report);  // R04-std
void check_order(const AuditRow& row, AuditReport& report);           // R05
void check_raw_totals(const AuditRow& row, AuditReport& report);      // R06
void check_units(const AuditRow& row, AuditReport& report);           // R07
void check_names(const AuditRow& row, AuditReport& report);           // R08

void check_stated_gpus(const AuditRow& row, AuditReport& report);    // R10
void check_first_split(const AuditRow& row, AuditReport& report);    // R11
void check_powered_gpus(const AuditRow& row, AuditReport& report);   // R12
void check_idle_gpus(const AuditRow& row, AuditReport& report);      // R13
void check_data_parallel(const AuditRow& row, AuditReport& report);  // R14
void check_occupancy(const AuditRow& row, AuditReport& report);      // R15

void check_seed(const AuditRow& row, AuditReport& report);             // R20
void check_latency_sum(const AuditRow& row, AuditReport& report);      // R21
void check_charged_queries(const AuditRow& row, AuditReport& report);  // R22

void check_energy_identities(const AuditRow& row, AuditReport& report);  // R30
void check_board_power(const AuditRow& row, AuditReport& report);        // R31
void check_provisioned(const AuditRow& row, AuditReport& report);        // R32
void check_power_schema(const AuditRow& row, AuditReport& report);       // R33
void check_telemetry(const AuditSet& set, AuditReport& report);          // R34

void check_flops(const AuditRow& row, AuditReport& report);         // R40
void check_bandwidth(const AuditRow& row, AuditReport& report);     // R41
void check_monotone(const AuditSet& set, AuditReport& report);      // R42
void check_history(const AuditSet& set, AuditReport& report);       // R43
void check_duplicates(const AuditSet& set, AuditReport& report);    // R44
void check_early_stop(const AuditRow& row, AuditReport& report);    // R45
void check_scenario(const AuditRow& row, AuditReport& report);      // R46
void check_known_issues(const AuditRow& row, AuditReport& report);  // R47
void check_context(const AuditSet& set, AuditReport& report);       // R48

void check_inferred(const AuditRow& row, AuditReport& report);        // M01
void check_accelerators(const AuditRow& row, AuditReport& report);    // M02
void check_token_unit(const AuditRow& row, AuditReport& report);      // M03
void check_stated_limit(const AuditRow& row, AuditReport& report);    // M04
void check_answer_tokens(const AuditRow& row, AuditReport& report);   // M05
void check_latency_limits(const AuditRow& row, AuditReport& report);  // M06
void check_wall_power(const AuditRow& row, AuditReport& report);      // M07
void check_repeated_power(const AuditSet& set, AuditReport& report);  // M08
void check_submission(const AuditRow& row, AuditReport& report);      // M09
void check_power_sessions(const AuditSet& set, AuditReport& report);  // M10

void check_token_energy(const AuditRow& row, AuditReport& report);     // E01
void check_request_energy(const AuditRow& row, AuditReport& report);   // E02
void check_steady_batch(const AuditRow& row, AuditReport& report);     // E03
void check_board_share(const AuditRow& row, AuditReport& report);      // E04
void check_energy_by_batch(const AuditSet& set, AuditReport& report);  // E05

}  // namespace tokenjoule
