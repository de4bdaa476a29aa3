/// One post seen from outside: its requests and answers, with times in nanoseconds since its start, and threads.
public struct PostTrace: Codable, Sendable, Hashable {
  /// Something that happens on a thread.
  public struct Moment: Codable, Sendable, Hashable {
    /// 0 is the caller's; others in order of appearance.
    public var thread: Int
    public var nanoseconds: UInt64

    /// A moment on a thread, whose number counts from the caller's, 0.
    public init(thread: Int, nanoseconds: UInt64) { (self.thread, self.nanoseconds) = (thread, nanoseconds) }
  }

  /// A request of the contender to the service.
  public struct Request: Codable, Sendable, Hashable {
    /// Its place in the ledger; nil: it creates the post.
    public var index: Int?
    public var asked: Moment
    /// When the requesting call returned.
    public var askReturned: UInt64
    /// The answer, on a thread of the service or before the requesting call returns.
    public var answered: Moment
    /// When the contender returned from the answer.
    public var answerReturned: UInt64

    /// A request with this place in the ledger, or nil for the post.
    public init(index: Int?, asked: Moment, askReturned: UInt64, answered: Moment, answerReturned: UInt64) {
      (self.index, self.asked, self.askReturned) = (index, asked, askReturned)
      (self.answered, self.answerReturned) = (answered, answerReturned)
    }
  }

  /// In the order in which they were made.
  public var requests: [Request]
  /// When the call that starts the post returned.
  public var startReturned: UInt64
  /// When the completion was called.
  public var completed: Moment
  /// Whether only the post waits for answers.
  public var asksAtOnce: Bool

  /// A post with its requests in the order in which they were made.
  public init(requests: [Request], startReturned: UInt64, completed: Moment, asksAtOnce: Bool) {
    (self.requests, self.startReturned) = (requests, startReturned)
    (self.completed, self.asksAtOnce) = (completed, asksAtOnce)
  }
}
