import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

/// Arguments that a command refuses, and its message.
struct Refusal: CustomTestStringConvertible {
  let arguments: [String]
  let message: String
  var testDescription: String { arguments.joined(separator: " ") }

  /// Rows of `ARGUMENTS => MESSAGE`. In an argument, `␣` stands for a space, and `''` for an empty one.
  static func table(_ rows: String) -> [Refusal] {
    rows.split(separator: "\n").map { row in
      let sides = " \(row)".components(separatedBy: " => ")
      let words = sides[0].split(separator: " ").map {
        $0 == "''" ? "" : String($0).replacing("␣", with: " ")
      }
      return Refusal(arguments: words, message: sides[1])
    }
  }

  func expect<Failure: Error>(
    _ type: Failure.Type = UsageError.self, from parse: ([String]) throws -> Void
  ) {
    let error = #expect(throws: type) { try parse(arguments) }
    #expect(error.map { "\($0)" } == message)
  }
}
