#include "CMachineProbes.h"

void machine_look_at(const void *address) { (void)address; }
