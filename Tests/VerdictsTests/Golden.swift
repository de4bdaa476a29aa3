import TestSupport
import Testing

/// The files that reports are compared with.
enum Golden {
  static func expect(
    _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = try GoldenFile(name, for: text, beside: #filePath)
    #expect(text == file.expected, "\(file.difference)", sourceLocation: sourceLocation)
  }
}
