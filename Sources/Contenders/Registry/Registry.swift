import CallbackUploads
import ClosureTaskUploads
import CoroutineUploads
import FutureUploads
import GCDGroupUploads
import OperationUploads
import ReactiveStreamUploads
import RuntimeOperations
import SwiftConcurrencyUploads
import TextbookUploads
import UploadScenario

#if AsyncAlgorithms
  import AsyncAlgorithmsRival
#endif

#if NIO
  import NIORival
#endif

#if OpenCombine || canImport(Combine)
  import OpenCombineRival
#endif

#if PromiseKit
  import PromiseKitRival
#endif

#if RxSwift
  import RxSwiftRival
#endif

#if SwiftCoroutine
  import SwiftCoroutineRival
#endif

/// Every contender, the reference first and rivals last; reports and the command line follow this order. Three variants are among
/// them: where calls block or compute, the answer is about threads.
public let contenders: [any Contender] =
  [
    CallbackUploads(),
    CallbackUploads.onThreads,
    CallbackUploads.onOneThread,
    GCDGroupUploads(),
    GCDGroupUploads.concurrentPerform,
    ClosureTaskUploads(),
    OperationUploads(),
    FutureUploads(),
    CoroutineUploads(),
    ReactiveStreamUploads(),
    SwiftConcurrencyUploads(),
  ] + rivals.map(\.uploads)

/// Other common spellings of the contenders' idioms, by module; measured on request.
public let variants: [any Contender] =
  GCDGroupUploads.variants
  + OperationUploads.variants
  + FutureUploads.variants
  + CoroutineUploads.variants
  + ReactiveStreamUploads.variants
  + SwiftConcurrencyUploads.variants
  + textbook

/// Whoever implements operations of a runtime, the reference first; reports and the command line follow this order.
public let runtimeContenders: [RuntimeContender] =
  [
    referenceOperations,
    closureTaskOperations,
    futureOperations,
    coroutineOperations,
    reactiveStreamOperations,
    swiftConcurrencyOperations,
  ] + rivals.compactMap(\.operations)

/// Other people's runtimes, as long as their traits are on; none in a default build, but for Apple's Combine on its platforms.
private let rivals: [(uploads: any Contender, operations: RuntimeContender?)] = {
  var rivals: [(uploads: any Contender, operations: RuntimeContender?)] = []
  #if AsyncAlgorithms
    rivals.append((AsyncAlgorithmsUploads(), asyncAlgorithmsOperations))
  #endif
  #if NIO
    rivals.append((NIOUploads(), nioOperations))
  #endif
  #if OpenCombine
    rivals.append((OpenCombineUploads(), openCombineOperations))
  #elseif canImport(Combine)
    rivals.append((OpenCombineUploads(), nil))
  #endif
  #if PromiseKit
    rivals.append((PromiseKitUploads(), promiseKitOperations))
  #endif
  #if RxSwift
    rivals.append((RxSwiftUploads(), rxSwiftOperations))
  #endif
  #if SwiftCoroutine
    rivals.append((SwiftCoroutineUploads(), swiftCoroutineOperations))
  #endif
  return rivals
}()

/// What people type for a contender, who it is, and what there is in a build that lacks it.
///
/// Only the very same thing is an alias: Combine and RxSwift are no names of `reactive-streams`, which is another library.
public let contenderAliases: [(names: [String], contender: String, absence: String?)] =
  [
    (
      [
        "async-await", "async/await", "asyncawait", "async", "await", "task-group", "taskgroup",
        "structured-concurrency",
      ], "swift-concurrency", nil
    ),
    (
      ["gcd", "dispatch", "dispatch-group", "dispatchgroup", "libdispatch"], "gcd-groups", nil
    ),
    (["operation", "operationqueue", "operation-queue", "nsoperation"], "operations", nil),
    (["callback", "completion-handler", "completion-handlers"], "callbacks", nil),
    (["future", "promise", "promises"], "futures", nil),
    (["coroutine", "fiber", "fibers"], "coroutines", nil),
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
      ["swift-nio", "swiftnio", "event-loop-future", "eventloopfuture"], "nio",
      "SwiftNIO " + trait("NIO") + "."
    ),
    (
      ["asyncalgorithms", "swift-async-algorithms"], "async-algorithms",
      "Async Algorithms " + trait("AsyncAlgorithms") + "."
    ),
    (["swiftcoroutine"], "swift-coroutine", "SwiftCoroutine " + trait("SwiftCoroutine") + "."),
  ]
  + goneVariants.map { gone, left in
    ([gone], gone, "It was removed with the second edition of the contract: measure \(left) in its place.")
  }

/// Variants of the first edition, and what to measure in their place.
private let goneVariants = [
  ("gcd-groups/work-items", "gcd-groups"), ("operations/async", "operations"),
  ("futures/promises", "futures"),
  ("coroutines/futures", "coroutines"), ("reactive-streams/flat-map", "reactive-streams"),
  ("reactive-streams/sink", "reactive-streams"), ("swift-concurrency/bounded", "swift-concurrency --limit K"),
  ("swift-concurrency/discarding", "swift-concurrency"), ("swift-concurrency/channel", "swift-concurrency"),
  ("swift-concurrency/global-actor", "swift-concurrency/actor"),
  ("swift-concurrency/nonisolated-nonsending", "swift-concurrency/actor"),
  ("swift-concurrency/coroutine-pool-executor", "swift-concurrency"),
]

private func trait(_ name: String) -> String {
  "is measured by `swift run -c release --traits \(name) bench` (Documentation/Rivals.md)"
}

/// What users call each contender, who ships it, and what it does for each upload.
public let idioms: [Idiom] = [
  Idiom(
    "callbacks", "by hand", .toolchain,
    perUpload: "takes one lock five times: to take it up, to begin, to keep the handle, to add the receipt, "
      + "and to end"),
  Idiom(
    "gcd-groups", "DispatchGroup", .toolchain,
    perUpload: "enters the group and leaves it, and keeps the request under one lock and the receipt under "
      + "another"),
  Idiom(
    "closure-tasks", "task closures", .package,
    perUpload: "makes a task of closures, and a controller that holds its state and answers to the group"),
  Idiom(
    "operations", "OperationQueue", .toolchain,
    perUpload: "makes an Operation, whose state is kept under a lock and announced to observers, on which "
      + "the last one depends, and which the queue starts on a thread of the pool"),
  Idiom(
    "futures", "promises", .package,
    perUpload: "makes a promise, its future, and a node that would cancel the request, and registers the "
      + "future of all with it"),
  Idiom(
    "coroutines", "coroutines", .package,
    perUpload: "runs a coroutine on a stack of its own, and switches away from it for the wait and back for "
      + "the answer"),
  Idiom(
    "reactive-streams", "publishers", .package,
    perUpload: "makes a publisher and a subscription, and passes demand and answer through a fan-in that "
      + "keeps the order"),
  Idiom(
    "swift-concurrency", "async/await", .toolchain,
    perUpload: "makes a child task, enqueues it on the pool, suspends it by a checked continuation, and "
      + "enqueues it again for the answer"),
  Idiom("textbook", "an article's shape", .textbook),
  Idiom("async-algorithms", "AsyncChannel", .thirdParty),
  Idiom("nio", "EventLoop", .thirdParty),
  Idiom("open-combine", "OpenCombine", .thirdParty),
  Idiom("combine", "Combine", .toolchain),
  Idiom("promise-kit", "PromiseKit", .thirdParty),
  Idiom("rx-swift", "RxSwift", .thirdParty),
  Idiom("swift-coroutine", "SwiftCoroutine", .thirdParty),
]
