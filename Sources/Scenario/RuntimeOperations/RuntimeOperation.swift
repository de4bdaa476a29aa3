/// A question: what one operation of a runtime costs, whoever performs it.
public struct RuntimeOperation: Sendable, Hashable, Codable {
  /// What is operated on; reports group by it.
  public enum Family: String, Sendable, Hashable, Codable, CaseIterable {
    case coroutine, channel, future, task, stream
  }

  /// Names the operation in every report.
  public let name: String
  public let family: Family
  /// The job in one line, the same for everyone.
  public let summary: String
  /// What `reference` does: the least that could do the job.
  public let reference: String
  /// What is counted, such as `element`: times are per unit.
  public let unit: String
  /// How many units it is performed on.
  public let count: Int
  /// What every implementation must answer.
  public let answer: Int
  /// Whether memory is among its figures.
  public let showsMemory: Bool

  /// - Parameter answer: nil: the sum of the numbers below `count`.
  init(
    _ family: Family, _ name: String, _ summary: String, reference: String, unit: String, count: Int,
    answer: Int? = nil, showsMemory: Bool = false
  ) {
    self.name = name
    self.family = family
    self.summary = summary
    self.reference = reference
    self.unit = unit
    self.count = count
    self.answer = answer ?? Self.sum(below: count)
    self.showsMemory = showsMemory
  }

  static func sum(below count: Int) -> Int { count * (count - 1) / 2 }

  /// The name of the answer that the others are compared with.
  public static let referenceName = "reference"
}
