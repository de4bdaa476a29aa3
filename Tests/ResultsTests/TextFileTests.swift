import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct TextFileTests {
  @Test func `an existing file is not overwritten`() throws {
    let path = NSTemporaryDirectory() + "text-file-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try TextFile.create(path, "first\n")
    #expect(throws: ResultsError.exists(path: path, option: "--output")) {
      try TextFile.create(path, "second\n")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\n")
  }

  @Test func `a missing folder is reported`() {
    let path = NSTemporaryDirectory() + "none-\(UUID().uuidString)/file"
    let error = #expect(throws: ResultsError.self) { try TextFile.create(path, "text") }
    #expect(
      error?.description
        == "cannot write \(path): No such file or directory. Choose another place with --output, or see to it that this one can be written."
    )
  }
}
