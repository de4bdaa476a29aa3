#pragma once
// Nothing to call: linking this target shows Thread Sanitizer contended locks of Swift's Mutex on Linux, and keeps Swift
// Testing from recording where each error is thrown.
