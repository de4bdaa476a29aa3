import Results
import UploadScenario

/// What samples are taken of: an upload scenario, or an operation of a runtime.
public protocol Workload: Codable, Hashable, Sendable {
  /// Names it in every report; unique within a run.
  var name: String { get }
  /// Everything that makes it this one and no other, wherever it is measured; empty if that cannot be told.
  var definition: [String: String] { get }
  /// What its samples say of it.
  var columns: WorkloadColumns { get }
  /// How long the parent waits for so many iterations before it gives up the worker, in seconds.
  func patienceSeconds(iterations: Int) -> Int
  /// How often it is done in a sample at most.
  var mostIterations: Int { get }
}

extension Workload {
  public var definition: [String: String] { (try? Definition.leaves(of: self)) ?? [:] }
  public var mostIterations: Int { 1_000 }
}

/// The columns of a sample that describe its workload.
public struct WorkloadColumns: Sendable, Hashable {
  /// The shape of the work: a pattern, or a family of operations.
  public var pattern: String
  /// What the work is done on.
  public var service: String
  /// How many uploads or operations there are each time: what times are divided by.
  public var fanOut: Int
  /// How many of those may be under way at once; nil: all.
  public var inFlightLimit: Int?
  /// The size of each; 0 where there are no bytes.
  public var payloadBytes: Int

  /// Nothing is checked; texts go into the record as they are.
  public init(
    pattern: String, service: String, fanOut: Int, inFlightLimit: Int? = nil, payloadBytes: Int = 0
  ) {
    self.pattern = pattern
    self.service = service
    self.fanOut = fanOut
    self.inFlightLimit = inFlightLimit
    self.payloadBytes = payloadBytes
  }
}

extension Scenario: Workload {
  /// Without its places: the same files may lie elsewhere on another machine.
  public var definition: [String: String] {
    var scenario = self
    scenario.mediaDirectory = nil
    scenario.storeDirectory = nil
    scenario.endpoint = nil
    return (try? Definition.leaves(of: scenario)) ?? [:]
  }

  public var columns: WorkloadColumns {
    WorkloadColumns(
      pattern: pattern.rawValue, service: service.rawValue, fanOut: fanOut, inFlightLimit: limit,
      payloadBytes: payloadBytes)
  }

  /// What a post is started behind takes far longer than the post.
  public var mostIterations: Int { behind > 0 ? 1 : 1_000 }

  /// The worker gives up a hung post by itself; the parent waits a little longer, in case the worker is the one that
  /// hangs.
  public func patienceSeconds(iterations: Int) -> Int {
    let post = Post.synthetic(photos: photos, videos: videos, payloadBytes: payloadBytes, seed: seed)
    let nanoseconds = UploadWorker.patienceNanoseconds(
      for: self, idealNanoseconds: idealNanoseconds(for: post))
    return 20 + 2 * Int(nanoseconds / 1_000_000_000) + iterations / 10
  }
}
