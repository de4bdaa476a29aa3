import Foundation

/// Reads what came out of a worker's pipe, which need not be a reply: another build may be at the other end, or a contender
/// that writes where it should not.
enum WorkerReply {
  /// Ten days in nanoseconds, and more of anything than can be counted meanwhile.
  private static let greatest = 864_000_000_000_000.0

  static func decode<Reply: Decodable>(_ line: [UInt8]) throws(WorkerFailure) -> Reply {
    let data = Data(line)
    guard let reply = try? JSONDecoder().decode(Reply.self, from: data),
      let values = try? JSONSerialization.jsonObject(with: data), isPlausible(values)
    else { throw .garbled(line: String(decoding: line, as: UTF8.self)) }
    return reply
  }

  /// Whether each number is one that can have been measured: sums of them are taken.
  private static func isPlausible(_ value: Any) -> Bool {
    switch value {
    case let number as NSNumber: (0...greatest).contains(number.doubleValue)
    case let values as [Any]: values.allSatisfy(isPlausible)
    case let values as [String: Any]: values.values.allSatisfy(isPlausible)
    default: true
    }
  }
}
