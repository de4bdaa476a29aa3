import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct PreparationTests {
  private static let limits: [(begin: @Sendable (Int) throws -> Void, Int, start: String, remedy: String)] = [
    ({ try Preparation.begin(descriptors: $0) }, 0, "only 0 files may be open at once", "`ulimit -n 256`"),
    (
      { try Preparation.begin(descriptors: $0) }, 255, "only 255 files may be open at once", "`ulimit -n 256`"
    ),
    (
      { try Preparation.begin(descriptors: 256, addressBytes: $0) }, (4 << 30) - 1,
      "only 4095 MiB of address space are allowed", "`ulimit -v unlimited`"
    ),
    ({ try Preparation.begin(threads: $0) }, 255, "only 255 more threads can be started", "`pids.max`"),
  ]

  @Test(arguments: limits)
  func `too few descriptors, threads or addresses are refused at the start`(
    _ begin: @Sendable (Int) throws -> Void, count: Int, start: String, remedy: String
  ) {
    let error = #expect(throws: FileProblem.self) { try begin(count) }
    #expect(error?.description.hasPrefix(start) == true && error?.description.contains(remedy) == true)
  }

  /// Not even root may make a file there.
  @Test(arguments: ["/nonexistent", "/dev/null", "/proc"])
  func `a temporary folder that is not writable is refused at the start`(folder: String) {
    let error = #expect(throws: FileProblem.self) { try Preparation.begin(temporaryFolder: folder) }
    #expect(error?.description.hasPrefix("cannot write temporary files in \(folder): ") == true)
    #expect(error?.description.contains("TMPDIR") == true)
    #expect(!FileManager.default.fileExists(atPath: "/nonexistent"))
  }

  @Test func `testing whether a folder is writable leaves no file`() throws {
    let scratch = try Scratch()
    let folder = scratch.folder
    #expect(TemporaryFolder.reasonNotToWrite(in: folder.path) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
