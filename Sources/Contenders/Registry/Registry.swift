import CallbackUploads
import ClosureTaskUploads
import CoroutineUploads
import FutureUploads
import GCDGroupUploads
import OperationUploads
import ReactiveStreamUploads
import Reference
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

/// A contender with its variants, description and other names.
private struct Row {
  /// The contender. `nil` if this build does not include it.
  var uploads: (any Contender)?
  /// The variants that are measured by default, next to the contender.
  var beside: [any Contender] = []
  /// The variants that are measured only on request.
  var variants: [any Contender] = []
  var operations: RuntimeContender?
  var idiom: Idiom
  /// Other names that users may type for the same library.
  var aliases: [String] = []
  /// The message of a build that does not include the contender.
  var absence: String?

  static func rival(
    _ uploads: (any Contender)?, _ operations: RuntimeContender?, _ idiom: Idiom, _ aliases: [String],
    trait: String, of library: String, more: String = ""
  ) -> Row {
    Row(
      uploads: uploads, operations: operations, idiom: idiom, aliases: aliases,
      absence:
        "\(library) is measured by `swift run -c release --traits \(trait) bench` (Documentation/Rivals.md)\(more)."
    )
  }
}

/// All contenders, in the order of reports and the command line.
private let rows: [Row] =
  [
    Row(
      uploads: CallbackUploads(), beside: [CallbackUploads.onThreads, CallbackUploads.onOneThread],
      operations: referenceOperations,
      idiom: Idiom(
        "callbacks", "by hand", .toolchain,
        perUpload: "takes one lock five times: to take it up, to begin, to keep the handle, to add the "
          + "receipt, and to end"),
      aliases: ["callback", "completion-handler", "completion-handlers"]),
    Row(
      uploads: GCDGroupUploads(), beside: [GCDGroupUploads.concurrentPerform],
      variants: GCDGroupUploads.variants,
      idiom: Idiom(
        "gcd-groups", "DispatchGroup", .toolchain,
        perUpload: "enters the group and leaves it, and keeps the request under one lock and the receipt "
          + "under another"),
      aliases: ["gcd", "dispatch", "dispatch-group", "dispatchgroup", "libdispatch"]),
    Row(
      uploads: ClosureTaskUploads(), operations: closureTaskOperations,
      idiom: Idiom(
        "closure-tasks", "task closures", .package,
        perUpload: "makes a task of closures, and a controller that holds its state and answers to the "
          + "group")),
    Row(
      uploads: OperationUploads(), variants: OperationUploads.variants,
      idiom: Idiom(
        "operations", "OperationQueue", .toolchain,
        perUpload: "makes an Operation, whose state is kept under a lock and announced to observers, on "
          + "which the last one depends, and which the queue starts on a thread of the pool"),
      aliases: ["operation", "operationqueue", "operation-queue", "nsoperation"]),
    Row(
      uploads: FutureUploads(), variants: FutureUploads.variants, operations: futureOperations,
      idiom: Idiom(
        "futures", "promises", .package,
        perUpload: "makes a promise, its future, and a node that would cancel the request, and registers "
          + "the future of all with it"),
      aliases: ["future", "promise", "promises"]),
    Row(
      uploads: CoroutineUploads(), variants: CoroutineUploads.variants, operations: coroutineOperations,
      idiom: Idiom(
        "coroutines", "coroutines", .package,
        perUpload: "runs a coroutine on a stack of its own, and switches away from it for the wait and back "
          + "for the answer"),
      aliases: ["coroutine", "fiber", "fibers"]),
    Row(
      uploads: ReactiveStreamUploads(), variants: ReactiveStreamUploads.variants,
      operations: reactiveStreamOperations,
      idiom: Idiom(
        "reactive-streams", "publishers", .package,
        perUpload: "makes a publisher and a subscription, and passes demand and answer through a fan-in "
          + "that keeps the order")),
    Row(
      uploads: SwiftConcurrencyUploads(), variants: SwiftConcurrencyUploads.variants,
      operations: swiftConcurrencyOperations,
      idiom: Idiom(
        "swift-concurrency", "async/await", .toolchain,
        perUpload: "makes a child task, enqueues it on the pool, suspends it by a checked continuation, and "
          + "enqueues it again for the answer"),
      aliases: [
        "async-await", "async/await", "asyncawait", "async", "await", "task-group", "taskgroup",
        "structured-concurrency",
      ]),
    Row(variants: textbook, idiom: Idiom("textbook", "an article's shape", .textbook)),
  ] + rivals

/// Contenders that use other libraries. Each is included if the package trait with its name is enabled, and Combine on Apple's
/// platforms.
private let rivals: [Row] = {
  var found: [String: (uploads: any Contender, operations: RuntimeContender?)] = [:]
  #if AsyncAlgorithms
    found["AsyncAlgorithms"] = (AsyncAlgorithmsUploads(), asyncAlgorithmsOperations)
  #endif
  #if NIO
    found["NIO"] = (NIOUploads(), nioOperations)
  #endif
  #if OpenCombine
    found["OpenCombine"] = (OpenCombineUploads(), openCombineOperations)
  #elseif canImport(Combine)
    found["Combine"] = (OpenCombineUploads(), nil)
  #endif
  #if PromiseKit
    found["PromiseKit"] = (PromiseKitUploads(), promiseKitOperations)
  #endif
  #if RxSwift
    found["RxSwift"] = (RxSwiftUploads(), rxSwiftOperations)
  #endif
  #if SwiftCoroutine
    found["SwiftCoroutine"] = (SwiftCoroutineUploads(), swiftCoroutineOperations)
  #endif
  func row(_ trait: String, _ library: String, _ idiom: Idiom, _ aliases: [String], more: String = "") -> Row
  {
    .rival(
      found[trait]?.uploads, found[trait]?.operations, idiom, aliases, trait: trait, of: library, more: more)
  }
  let another = "; reactive-streams is another library, this package's own"
  return [
    row(
      "AsyncAlgorithms", "Async Algorithms", Idiom("async-algorithms", "AsyncChannel", .thirdParty),
      ["asyncalgorithms", "swift-async-algorithms"]),
    row(
      "NIO", "SwiftNIO", Idiom("nio", "EventLoop", .thirdParty),
      ["swift-nio", "swiftnio", "event-loop-future", "eventloopfuture"]),
    row("OpenCombine", "OpenCombine", Idiom("open-combine", "OpenCombine", .thirdParty), ["opencombine"]),
    Row(
      uploads: found["Combine"]?.uploads, idiom: Idiom("combine", "Combine", .toolchain),
      aliases: ["combine"],
      absence:
        "Apple's Combine can be measured on Apple's platforms only. OpenCombine, which has the same interface, "
        + "is measured by `swift run -c release --traits OpenCombine bench` (Documentation/Rivals.md)\(another)."
    ),
    row("PromiseKit", "PromiseKit", Idiom("promise-kit", "PromiseKit", .thirdParty), ["promisekit"]),
    row("RxSwift", "RxSwift", Idiom("rx-swift", "RxSwift", .thirdParty), ["rx", "rxswift"], more: another),
    row(
      "SwiftCoroutine", "SwiftCoroutine", Idiom("swift-coroutine", "SwiftCoroutine", .thirdParty),
      ["swiftcoroutine"]),
  ]
}()

public let contenders: [any Contender] = rows.flatMap { row in
  (row.uploads.map { [$0] } ?? []) + row.beside
}

/// The contenders that are measured only on request.
public let variants: [any Contender] = rows.flatMap(\.variants)

/// The contenders that implement `RuntimeOperation`s, with `reference` first.
public let runtimeContenders: [RuntimeContender] = rows.compactMap(\.operations)

public let idioms: [Idiom] = rows.map(\.idiom)

/// Other names of contenders, and the messages of builds that do not include them.
public let contenderAliases: [(names: [String], contender: String, absence: String?)] =
  rows.filter { !$0.aliases.isEmpty }.map { ($0.aliases, $0.idiom.contender, $0.absence) }
  + goneVariants.map { gone, left in
    ([gone], gone, "\(gone) was removed when the requirements changed: measure \(left) instead.")
  }

/// The variants of contenders that were removed, and the names to use instead.
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
