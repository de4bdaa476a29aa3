import Foundation
import Results
import Statistics

/// One recorded post (a job of uploads) of each contender, for comparison.
public struct TraceReport: Sendable {
  public let scenario: String
  /// One recorded post (a job of uploads) for each contender, in the contenders' order.
  public let posts: [TracedPost]
  /// The contenders without a recorded post, each with a sentence that says why.
  public let faults: [(contender: String, reason: String)]
  public let environment: EnvironmentRecord

  public init(
    scenario: String, posts: [TracedPost], faults: [(contender: String, reason: String)],
    environment: EnvironmentRecord
  ) {
    (self.scenario, self.posts, self.faults) = (scenario, posts, faults)
    self.environment = environment
  }

  /// The smallest share of a job's time that the spans of its critical path must explain, and the largest share that recording may add.
  public static let (leastExplained, highestCost) = (0.95, 0.05)
}

/// One recorded post (a job of uploads) of a contender: the one with the median time.
public struct TracedPost: Sendable {
  public let contender: String
  public let trace: PostTrace
  public let path: CriticalPath
  /// The time that recording adds, as a share of a job's time: the median over pairs of one unrecorded and one recorded job.
  public let recordingCost: Double
  /// The number of pairs of one unrecorded and one recorded job.
  public let pairs: Int

  /// - Parameters:
  ///   - plain: the times of unrecorded jobs in nanoseconds, one of each pair.
  ///   - recorded: the times of recorded jobs in nanoseconds, one of each pair.
  public init(contender: String, trace: PostTrace, plain: [UInt64], recorded: [UInt64]) {
    (self.contender, self.trace, path) = (contender, trace, CriticalPath(trace))
    pairs = min(plain.count, recorded.count)
    recordingCost =
      Quantiles.median(of: zip(plain, recorded).map { Double($1) / max(1, Double($0)) }).map { $0 - 1 } ?? 0
  }
}

extension TraceReport {
  /// - Parameter remarks: sentences that say where the file is and which program opens it.
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
        "In the remaining time the post waits for the service. Recording: the time that recording adds to a post, as the median of pairs."
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

  private var doubts: [String] {
    func listed(_ posts: [TracedPost], _ share: (TracedPost) -> Double) -> String {
      posts.map { "\($0.contender) \(NumberText.percent(share($0)))" }.joined(separator: ", ")
    }
    let unexplained = posts.filter { $0.path.explainedShare < Self.leastExplained }
    let disturbed = posts.filter { $0.recordingCost > Self.highestCost }
    return [
      unexplained.isEmpty
        ? nil
        : "No recorded span explains this share of a post's time: \(listed(unexplained) { 1 - $0.path.explainedShare }).",
      disturbed.isEmpty
        ? nil
        : "Recording makes these posts longer by more than \(NumberText.percent(Self.highestCost)): \(listed(disturbed, \.recordingCost)). Their spans are those of the longer post.",
    ].compactMap(\.self)
  }
}

/// What a job waits for until its completion, and its moves between threads, found backwards from each event to its cause.
public struct CriticalPath: Sendable, Equatable {
  /// A part of a job's time.
  public struct Span: Sendable, Equatable {
    public let kind: Kind
    /// The start of the span, in nanoseconds since the job's start.
    public let from: UInt64
    /// The end of the span, where the next one starts.
    public let to: UInt64
    /// The index of the request that the span waits for; `nil` if the span waits for no request.
    public let request: Int?

    public var nanoseconds: UInt64 { to - from }
  }

  /// What a job waits for during a span.
  public enum Kind: String, Sendable, CaseIterable {
    /// The contender or its concurrency runtime runs on one thread.
    case inTheIdiom = "in the idiom"
    /// The contender moves to another thread, which must wake before the job continues.
    case handedOver = "handed over"
    /// A request is at the service.
    case inFlight = "in flight"
  }

  /// A move from one thread to another.
  public struct HandOver: Sendable, Equatable {
    /// The event that causes the move: an answer, or the job's start.
    public let from: PostTrace.Moment
    /// The event that the move leads to: a request, or the completion.
    public let to: PostTrace.Moment
  }

  /// The spans in chronological order.
  public let spans: [Span]
  /// The moves between threads that lead to any request or to the completion, whether on the critical path or not.
  public let handOvers: [HandOver]
  /// The share of the job's time that spans cover.
  public let explainedShare: Double

  public init(_ post: PostTrace) {
    let causes = post.requests.indices.map { post.cause(of: $0) }
    let last = post.cause(of: post.requests.count)
    var spans: [Span] = []
    var (moment, cause) = (post.completed, last)
    while true {
      spans.append(
        Span(
          kind: cause.moment.thread == moment.thread ? .inTheIdiom : .handedOver,
          from: cause.moment.nanoseconds, to: moment.nanoseconds, request: nil))
      guard let number = cause.request else { break }
      moment = post.requests[number].asked
      spans.append(
        Span(kind: .inFlight, from: moment.nanoseconds, to: cause.moment.nanoseconds, request: number))
      cause = causes[number]
    }
    self.spans = spans.reversed()
    let moments = post.requests.map(\.asked) + [post.completed]
    handOvers = zip(causes + [last], moments).compactMap { cause, moment in
      cause.moment.thread == moment.thread ? nil : HandOver(from: cause.moment, to: moment)
    }
    let total = post.completed.nanoseconds
    explainedShare = total == 0 ? 1 : Double(self.spans.reduce(0) { $0 + $1.nanoseconds }) / Double(total)
  }

  public func nanoseconds(_ kind: Kind) -> UInt64 {
    spans.reduce(0) { $1.kind == kind ? $0 + $1.nanoseconds : $0 }
  }
}

extension PostTrace {
  /// The cause of a request, or of the completion if `number` is `requests.count`: an answer, or the job's start.
  ///
  /// A request made within an answer's callback, or within the call that starts the job, is caused by that. Otherwise the cause is the
  /// latest earlier answer, or the job's start if the request needs no answer.
  fileprivate func cause(of number: Int) -> (moment: Moment, request: Int?) {
    let isCompletion = number == requests.count
    let moment = isCompletion ? completed : requests[number].asked
    // Only answers of earlier requests can be causes, so that a path ends.
    let answers = requests.indices.prefix(number).filter {
      requests[$0].answered.nanoseconds <= moment.nanoseconds
    }
    func latest(_ numbers: [Int]) -> (moment: Moment, request: Int?)? {
      numbers.max { requests[$0].answered.nanoseconds < requests[$1].answered.nanoseconds }
        .map { (requests[$0].answered, $0) }
    }
    let within = answers.filter {
      requests[$0].answered.thread == moment.thread && moment.nanoseconds <= requests[$0].answerReturned
    }
    if let answer = latest(within) { return answer }
    let start = (moment: Moment(thread: 0, nanoseconds: 0), request: Int?.none)
    let isWithinStart = moment.thread == 0 && moment.nanoseconds <= startReturned
    let needsNoAnswer = asksAtOnce && !isCompletion && requests[number].index != nil
    return isWithinStart || needsNoAnswer ? start : latest(answers) ?? start
  }

  /// The number of threads that appear until the completion.
  public var threads: Int {
    let moments = requests.flatMap { [$0.asked, $0.answered] } + [completed]
    return Set(moments.filter { $0.nanoseconds <= completed.nanoseconds }.map(\.thread)).union([0]).count
  }

  /// The service's threads: those that answer requests of another thread, except the caller's thread.
  public var answeringThreads: Set<Int> {
    Set(requests.filter { $0.answered.thread != $0.asked.thread }.map(\.answered.thread)).subtracting([0])
  }
}
