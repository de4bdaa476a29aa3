import Results

/// What a post waited for from its start to its completion, and where it went from one thread to another: found backwards, from
/// each moment to what it followed.
public struct CriticalPath: Sendable, Equatable {
  /// A part of the post's time.
  public struct Span: Sendable, Equatable {
    /// What the post waits for meanwhile.
    public let kind: Kind
    /// In nanoseconds since the post's start, as `to`.
    public let from: UInt64
    /// When the next one begins.
    public let to: UInt64
    /// What is in flight, as its place among the post's requests.
    public let request: Int?

    /// How long it is.
    public var nanoseconds: UInt64 { to - from }
  }

  /// What the post waits for.
  public enum Kind: String, Sendable, CaseIterable {
    /// The contender, and its runtime, on one thread.
    case inTheIdiom = "in the idiom"
    /// The contender on two threads: one has to wake before the post goes on.
    case handedOver = "handed over"
    /// The service.
    case inFlight = "in flight"
  }

  /// From one thread to another.
  public struct HandOver: Sendable, Equatable {
    /// What was waited for: an answer, or the post's start.
    public let from: PostTrace.Moment
    /// What went on from there: a request, or the completion.
    public let to: PostTrace.Moment
  }

  /// In the order of time.
  public let spans: [Span]
  /// Of all requests, on the path or beside it, and of the completion.
  public let handOvers: [HandOver]
  /// The share of the post's time that the spans take.
  public let explainedShare: Double

  /// The path of a post, from its completion back to its start.
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

  /// How long the post waits for something.
  public func nanoseconds(_ kind: Kind) -> UInt64 {
    spans.reduce(0) { $1.kind == kind ? $0 + $1.nanoseconds : $0 }
  }
}

extension PostTrace {
  /// What a request followed, or of one past the last the completion: an answer, or the start.
  ///
  /// What is done within an answer, or within the call that starts the post, follows that. Of anything else it cannot be seen: what
  /// needs no answer follows the start, the rest the latest answer before it.
  fileprivate func cause(of number: Int) -> (moment: Moment, request: Int?) {
    let isCompletion = number == requests.count
    let moment = isCompletion ? completed : requests[number].asked
    // Only of those that were asked before, so that a path ends.
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

  /// How many threads are seen until the completion.
  public var threads: Int {
    let moments = requests.flatMap { [$0.asked, $0.answered] } + [completed]
    return Set(moments.filter { $0.nanoseconds <= completed.nanoseconds }.map(\.thread)).union([0]).count
  }

  /// Threads on which the service answers, and nothing is asked before it has answered there.
  public var answeringThreads: Set<Int> {
    Set(
      requests.filter { $0.answered.thread != $0.asked.thread }.map(\.answered.thread)
    ).subtracting([0])
  }
}
