/* A module for OpenIPMI's simulator ipmi_sim, which knows no DCMI: answers Get Power Reading with the
 * bytes (as pairs of hex digits) that stand in the file named by its options, completion code first. Without
 * the file it answers that it does not know the command. */
#include <stdint.h>
#include <stdio.h>

#include <OpenIPMI/mcserv.h>
#include <OpenIPMI/serv.h>

enum { kDcmi = 0xdc, kGetPowerReading = 0x02, kInvalidCommand = 0xc1, kLongestReply = 64 };

static char reply_file[4096];

static void answer(lmc_data_t *controller, msg_t *message, unsigned char *reply, unsigned int *size,
                   void *unused) {
  FILE *file = NULL;
  unsigned int byte = 0;
  unsigned int count = 0;
  (void)controller;
  (void)unused;
  if (message->cmd == kGetPowerReading) file = fopen(reply_file, "r");
  while (file != NULL && count < kLongestReply && fscanf(file, "%x", &byte) == 1) {
    reply[count++] = (unsigned char)byte;
  }
  if (file != NULL) fclose(file);
  if (count == 0) reply[count++] = kInvalidCommand;
  *size = count;
}

int ipmi_sim_module_print_version(sys_data_t *system, char *options) {
  (void)system;
  (void)options;
  return 0;
}

int ipmi_sim_module_init(sys_data_t *system, const char *options) {
  (void)system;
  snprintf(reply_file, sizeof reply_file, "%s", options);
  ipmi_emu_register_group_extension_handler(kDcmi, answer, NULL);
  return 0;
}
