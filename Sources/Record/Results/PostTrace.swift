/// One post as it is seen from outside: when its requests were made and answered, and on which threads.
///
/// Moments are in nanoseconds since the post's start.
public struct PostTrace: Codable, Sendable, Hashable {
  /// Something that happens on a thread.
  public struct Moment: Codable, Sendable, Hashable {
    /// 0 is the caller's; the others in the order in which they are first seen.
    public var thread: Int
    public var nanoseconds: UInt64

    /// A moment on a thread, whose number counts from the caller's, 0.
    public init(thread: Int, nanoseconds: UInt64) {
      (self.thread, self.nanoseconds) = (thread, nanoseconds)
    }
  }

  /// What the contender asked the service for.
  public struct Request: Codable, Sendable, Hashable {
    /// Its place in the ledger; nil: it creates the post.
    public var index: Int?
    public var asked: Moment
    /// When the call that asks had returned.
    public var askReturned: UInt64
    /// The answer is called on a thread of the service, or before the asking returns.
    public var answered: Moment
    /// When the contender had returned from the answer.
    public var answerReturned: UInt64

    /// A request of the ledger's place `index`, or of nil for the post.
    public init(index: Int?, asked: Moment, askReturned: UInt64, answered: Moment, answerReturned: UInt64) {
      (self.index, self.asked, self.askReturned) = (index, asked, askReturned)
      (self.answered, self.answerReturned) = (answered, answerReturned)
    }
  }

  /// In the order in which they were asked for.
  public var requests: [Request]
  /// When the call that starts the post had returned.
  public var startReturned: UInt64
  /// When the completion was called.
  public var completed: Moment
  /// Whether nothing but the post has to wait for an answer.
  public var asksAtOnce: Bool

  /// A post with its requests in the order in which they were asked for.
  public init(requests: [Request], startReturned: UInt64, completed: Moment, asksAtOnce: Bool) {
    (self.requests, self.startReturned) = (requests, startReturned)
    (self.completed, self.asksAtOnce) = (completed, asksAtOnce)
  }
}
