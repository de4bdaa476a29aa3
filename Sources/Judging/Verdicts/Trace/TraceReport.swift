import Foundation
import Results
import Statistics

/// A recorded post of each contender, side by side.
public struct TraceReport: Sendable {
  /// What all of them were asked to do, by name.
  public let scenario: String
  /// In the order of the contenders.
  public let posts: [TracedPost]
  /// Why a contender has none: a sentence.
  public let faults: [(contender: String, reason: String)]
  /// On what they were recorded, and by which build.
  public let environment: EnvironmentRecord

  /// Posts and faults of a scenario's contenders, and what they were recorded on.
  public init(
    scenario: String, posts: [TracedPost], faults: [(contender: String, reason: String)],
    environment: EnvironmentRecord
  ) {
    (self.scenario, self.posts, self.faults) = (scenario, posts, faults)
    self.environment = environment
  }

  /// What spans are to explain of a post at least, and what recording may cost of it at most.
  public static let (leastExplained, highestCost) = (0.95, 0.05)
}

/// One contender's post: the one of the median time among those that were recorded.
public struct TracedPost: Sendable {
  /// Whose it is.
  public let contender: String
  /// What was recorded.
  public let trace: PostTrace
  /// What it waited for.
  public let path: CriticalPath
  /// What recording adds to a post, as a share of it: the median over pairs of a post without and one with it.
  public let recordingCost: Double
  /// How many pairs.
  public let pairs: Int

  /// A contender's post, beside those that tell what recording costs.
  ///
  /// - Parameters:
  ///   - contender: whose they are.
  ///   - trace: the post.
  ///   - plain: times of posts that were not recorded; as many as of those that were.
  ///   - recorded: times of those that were recorded, pair by pair.
  public init(contender: String, trace: PostTrace, plain: [UInt64], recorded: [UInt64]) {
    (self.contender, self.trace, path) = (contender, trace, CriticalPath(trace))
    pairs = min(plain.count, recorded.count)
    recordingCost =
      Quantiles.median(of: zip(plain, recorded).map { Double($1) / max(1, Double($0)) }).map { $0 - 1 } ?? 0
  }
}
