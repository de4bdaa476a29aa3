/// An answer: whoever performs some of the operations, in its own idiom.
///
/// Each lives in `Sources/Contenders/<Idiom>/Operations`, which holds one public constant of this type.
public struct RuntimeContender: Sendable {
  /// Performs an operation on `count` units and returns its answer, made of what arrived.
  ///
  /// It is called on a thread of the harness, which it may block, and leaves nothing running.
  public typealias Performance = @Sendable (_ count: Int) throws -> Int

  /// Names the contender in every report.
  public let name: String
  public let summary: String
  public let performances: [RuntimeOperation: Performance]

  public init(name: String, summary: String, performances: [RuntimeOperation: Performance]) {
    self.name = name
    self.summary = summary
    self.performances = performances
  }
}
