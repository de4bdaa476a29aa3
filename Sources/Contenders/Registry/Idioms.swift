import UploadScenario

/// What users call each contender, and who ships it.
public let idioms: [Idiom] = [
  Idiom("callbacks", "by hand", .toolchain),
  Idiom("gcd-groups", "DispatchGroup", .toolchain),
  Idiom("closure-tasks", "task closures", .package),
  Idiom("operations", "OperationQueue", .toolchain),
  Idiom("futures", "promises", .package),
  Idiom("coroutines", "coroutines", .package),
  Idiom("reactive-streams", "publishers", .package),
  Idiom("swift-concurrency", "async/await", .toolchain),
  Idiom("async-algorithms", "AsyncChannel", .thirdParty),
  Idiom("nio", "EventLoop", .thirdParty),
  Idiom("open-combine", "OpenCombine", .thirdParty),
  Idiom("combine", "Combine", .toolchain),
  Idiom("promise-kit", "PromiseKit", .thirdParty),
  Idiom("rx-swift", "RxSwift", .thirdParty),
  Idiom("swift-coroutine", "SwiftCoroutine", .thirdParty),
]
