import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct TemporaryFolderTests {
  @Test func `temporary folders are removed`() throws {
    let paths = (0..<3).map { TemporaryFolder.path("fanout-test-\($0)") }
    #expect(Set(paths).count == 3)
    for path in paths {
      try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
    }
    TemporaryFolder.remove(paths[0])
    #expect(paths.map(FileManager.default.fileExists) == [false, true, true])
    paths.forEach(TemporaryFolder.removeInUse)
    #expect(paths.map(FileManager.default.fileExists) == [false, false, false])
  }
}
