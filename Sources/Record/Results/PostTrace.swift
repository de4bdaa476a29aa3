/// The requests and answers of one post (a job of uploads), with their threads and their times since the post's start.
public struct PostTrace: Codable, Sendable, Hashable {
  /// The time and the thread of an event.
  public struct Moment: Codable, Sendable, Hashable {
    /// 0 is the thread that started the post; others are numbered in order of appearance.
    public var thread: Int
    public var nanoseconds: UInt64

    public init(thread: Int, nanoseconds: UInt64) { (self.thread, self.nanoseconds) = (thread, nanoseconds) }
  }

  /// A request of the contender to the service.
  public struct Request: Codable, Sendable, Hashable {
    /// The index of the upload, chunk or lookup; `nil` for the request that creates the post.
    public var index: Int?
    public var asked: Moment
    /// When the contender's call of the service returned.
    public var askReturned: UInt64
    /// When the service called back with the answer.
    public var answered: Moment
    /// When the service's callback returned.
    public var answerReturned: UInt64

    public init(index: Int?, asked: Moment, askReturned: UInt64, answered: Moment, answerReturned: UInt64) {
      (self.index, self.asked, self.askReturned) = (index, asked, askReturned)
      (self.answered, self.answerReturned) = (answered, answerReturned)
    }
  }

  /// The requests in the order in which they were made.
  public var requests: [Request]
  /// When the call that starts the post returned.
  public var startReturned: UInt64
  /// When the completion was called.
  public var completed: Moment
  /// Whether all uploads are requested immediately, without waiting for answers.
  public var asksAtOnce: Bool

  public init(requests: [Request], startReturned: UInt64, completed: Moment, asksAtOnce: Bool) {
    (self.requests, self.startReturned) = (requests, startReturned)
    (self.completed, self.asksAtOnce) = (completed, asksAtOnce)
  }
}
