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
  public let contender: String
  public let trace: PostTrace
  public let path: CriticalPath
  /// What recording adds to a post, as a share of it: the median over pairs of a post without and one with it.
  public let recordingCost: Double
  /// How many pairs.
  public let pairs: Int

  /// A contender's post, beside those that tell what recording costs.
  ///
  /// - Parameters:
  ///   - plain: times of posts that were not recorded; as many as of those that were.
  ///   - recorded: times of those that were recorded, pair by pair.
  public init(contender: String, trace: PostTrace, plain: [UInt64], recorded: [UInt64]) {
    (self.contender, self.trace, path) = (contender, trace, CriticalPath(trace))
    pairs = min(plain.count, recorded.count)
    recordingCost =
      Quantiles.median(of: zip(plain, recorded).map { Double($1) / max(1, Double($0)) }).map { $0 - 1 } ?? 0
  }
}

extension TraceReport {
  /// The table, and what of it misses what traces are to hold.
  ///
  /// - Parameter remarks: where the file is, and what opens it.
  public func document(_ remarks: [String]) -> Document {
    Document(
      title: "One post of each contender on \(scenario)",
      [
        .warnings(ReportNotes.warnings(ReportContext(environment: environment))), .table(table),
        .paragraphs(doubts, .bad), .paragraphs(remarks),
      ])
  }

  private var table: Table {
    typealias Field = Table.Field<TracedPost>
    let fields = [
      Field("contender", 18, isLeft: true) { .name($0.contender) },
      Field("time", 8) { .duration(Double($0.trace.completed.nanoseconds)) },
      Field("idiom", 8, above: "in the") { Self.time(.inTheIdiom, of: $0) },
      Field("over", 8, above: "handed") { Self.time(.handedOver, of: $0) },
      Field("threads", 8) { .count($0.trace.threads) },
      Field("overs", 6, above: "hand-") { .count($0.path.handOvers.count) },
      Field("explained", 10) { Table.Cell(NumberText.wholePercent($0.path.explainedShare)) },
      Field("recording", 10) { Table.Cell(Self.signed($0.recordingCost)) },
    ]
    return Table(
      title:
        "\(scenario): one post of each, the one of the median time among up to \(posts.map(\.pairs).max() ?? 0)",
      fields, posts,
      others: faults.map { Table.Row([.name($0.contender)], remark: $0.reason, .bad) }
    ).with {
      $0.notes = [
        "The rest of the time the post waits for the service. Recording: what it adds to the time of a post, the median of pairs."
      ]
    }
  }

  private static func time(_ kind: CriticalPath.Kind, of post: TracedPost) -> Table.Cell {
    let nanoseconds = post.path.nanoseconds(kind)
    return .duration(nanoseconds == 0 ? nil : Double(nanoseconds))
  }

  private static func signed(_ share: Double) -> String {
    let text = NumberText.percent(abs(share))
    return text == "0 %" ? text : (share < 0 ? "-" : "+") + text
  }

  /// Which posts miss what traces are to hold, and by how much.
  private var doubts: [String] {
    func listed(_ posts: [TracedPost], _ share: (TracedPost) -> Double) -> String {
      posts.map { "\($0.contender) \(NumberText.percent(share($0)))" }.joined(separator: ", ")
    }
    let unexplained = posts.filter { $0.path.explainedShare < Self.leastExplained }
    let disturbed = posts.filter { $0.recordingCost > Self.highestCost }
    return [
      unexplained.isEmpty
        ? nil
        : "No span says what this share of a post was spent on: \(listed(unexplained) { 1 - $0.path.explainedShare }).",
      disturbed.isEmpty
        ? nil
        : "Recording makes these posts longer by more than \(NumberText.percent(Self.highestCost)): \(listed(disturbed, \.recordingCost)). Their spans are those of the longer post.",
    ].compactMap(\.self)
  }
}
