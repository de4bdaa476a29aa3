#pragma once
// Nothing to call: linking this target makes Thread Sanitizer see contended locks of Swift's Mutex on Linux.
