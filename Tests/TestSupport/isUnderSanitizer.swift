import Foundation

private let environment = ProcessInfo.processInfo.environment

/// Thread Sanitizer keeps a stack of its own for each thread, with room for 65 536 calls within calls; `Scripts/sanitize` says
/// that it watches.
package let isUnderThreadSanitizer = environment["TSAN_OPTIONS"] != nil

/// Either sanitizer needs memory of its own for whatever the process has.
package let isUnderSanitizer = isUnderThreadSanitizer || environment["ASAN_OPTIONS"] != nil
