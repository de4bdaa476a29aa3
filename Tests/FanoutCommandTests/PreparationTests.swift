import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct PreparationTests {
  @Test(arguments: [0, 12, 255]) func tooFewDescriptorsAreSaidBeforeAnythingIsStarted(descriptors: Int) {
    let error = #expect(throws: FileProblem.self) { try Preparation.begin(descriptors: descriptors) }
    #expect(error?.description.hasPrefix("only \(descriptors) files may be open at once") == true)
    #expect(error?.description.contains("`ulimit -n 256`") == true)
  }

  @Test(arguments: [0, 400 << 20, (4 << 30) - 1]) func tooLittleAddressSpaceIsSaidBeforeAnythingIsStarted(
    bytes: Int
  ) {
    let error = #expect(throws: FileProblem.self) {
      try Preparation.begin(descriptors: 256, addressBytes: bytes)
    }
    #expect(error?.description.hasPrefix("only \(bytes >> 20) MiB of address space are allowed") == true)
    #expect(error?.description.contains("`ulimit -v unlimited`") == true)
  }

  @Test(arguments: [0, 7, 255]) func tooFewThreadsAreSaidBeforeAnythingIsStarted(threads: Int) {
    let error = #expect(throws: FileProblem.self) { try Preparation.begin(threads: threads) }
    #expect(error?.description.hasPrefix("only \(threads) more threads can be started") == true)
    #expect(error?.description.contains("`pids.max`") == true)
  }

  /// Nobody may make a file there, not even root.
  @Test(arguments: ["/nonexistent", "/dev/null", "/proc"])
  func aPlaceForTemporaryFilesThatTakesNoneIsSaidBeforeAnythingIsStarted(folder: String) {
    let error = #expect(throws: FileProblem.self) { try Preparation.begin(temporaryFolder: folder) }
    #expect(error?.description.hasPrefix("cannot write temporary files in \(folder): ") == true)
    #expect(error?.description.contains("TMPDIR") == true)
    #expect(!FileManager.default.fileExists(atPath: "/nonexistent"))
  }

  @Test func askingWhetherAFolderTakesFilesLeavesNone() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fanout-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(TemporaryFolder.reasonNotToWrite(in: folder.path) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
