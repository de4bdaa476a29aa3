import UploadScenario

/// A promise of the contenders' contract that a contender breaks because of the library it is written in.
///
/// The conformance tests still ask for it, and report it as a known issue; they fail if it is kept after all.
public struct BrokenPromise: Sendable {
  /// The contender's name.
  public let contender: String
  /// The name of the conformance kit's rule.
  public let rule: String
  public let patterns: [Pattern]
  /// What the library does, and where.
  public let reason: String
}

/// Every promise that is known to be broken; none by what this package is written in.
public let brokenPromises: [BrokenPromise] = {
  var promises: [BrokenPromise] = []
  #if OpenCombine
    promises.append(
      BrokenPromise(
        contender: "open-combine", rule: "nothing-left", patterns: [.publish, .sequence],
        reason: """
          OpenCombine 0.14.0: when an inner publisher fails, flatMap does not cancel its upstream; a sequence that has \
          elements left and the flatMap then hold each other for ever (Publishers.FlatMap.swift, receiveInner)
          """))
  #endif
  return promises
}()
