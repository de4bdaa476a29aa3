import Foundation

/// Thread Sanitizer keeps a stack of its own for each thread, with room for 65 536 calls within calls; `Scripts/sanitize` says
/// that it watches.
package let isUnderThreadSanitizer = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil
