#include "CContextSwitch.h"
