/// What people type for a contender, who it is, and what there is in a build that lacks it.
///
/// Only the very same thing is an alias: Combine and RxSwift are no names of `reactive-streams`, which is another library.
public let contenderAliases: [(names: [String], contender: String, absence: String?)] = [
  (
    [
      "async-await", "async/await", "async", "await", "task-group", "taskgroup", "structured-concurrency",
    ], "swift-concurrency", nil
  ),
  (
    ["gcd", "dispatch", "dispatch-group", "dispatchgroup", "libdispatch"], "gcd-groups", nil
  ),
  (["operation", "operationqueue", "operation-queue", "nsoperation"], "operations", nil),
  (["callback", "completion-handler", "completion-handlers"], "callbacks", nil),
  (
    ["combine"], "combine",
    "Apple's Combine can be measured on Apple's platforms only. OpenCombine, which is written after it, "
      + trait("OpenCombine") + "; reactive-streams is another library, this package's own."
  ),
  (["opencombine"], "open-combine", "OpenCombine " + trait("OpenCombine") + "."),
  (
    ["rx", "rxswift"], "rx-swift",
    "RxSwift " + trait("RxSwift") + "; reactive-streams is another library, this package's own."
  ),
  (["promisekit"], "promise-kit", "PromiseKit " + trait("PromiseKit") + "."),
  (
    ["swift-nio", "swiftnio", "event-loop-future", "eventloopfuture"], "nio", "SwiftNIO " + trait("NIO") + "."
  ),
  (
    ["asyncalgorithms", "swift-async-algorithms"], "async-algorithms",
    "Async Algorithms " + trait("AsyncAlgorithms") + "."
  ),
  (["swiftcoroutine"], "swift-coroutine", "SwiftCoroutine " + trait("SwiftCoroutine") + "."),
]

private func trait(_ name: String) -> String {
  "is measured by `swift run -c release --traits \(name) bench` (Documentation/Rivals.md)"
}
