import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct BuildAgeTests {
  private let scratch: Scratch
  private var executable: URL { scratch.folder.appendingPathComponent("build/bench") }
  private var sources: URL { scratch.folder.appendingPathComponent("Sources") }

  init() throws {
    scratch = try Scratch()
    try write("", to: "build/bench", changed: 1_000)
    try write(
      "/x/A.build/Linked.swift.o\n/x/B.build/other.c.o\n", to: "build/bench.product/Objects.LinkFileList")
    try write("", to: "Sources/A/Linked.swift", changed: 999)
    try write("", to: "Sources/B/other.c", changed: 999)
    try write("", to: "Sources/C/Unlinked.swift", changed: 2_000)
  }

  private func write(_ text: String, to name: String, changed seconds: Double = 0) throws {
    let file = scratch.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: file.path)
  }

  @Test func `a source that is not linked does not make the build old`() {
    #expect(BuildAge.remark(of: executable, sources: sources) == nil)
  }

  @Test(arguments: ["A/Linked.swift", "B/other.c", "B/include/any.h"])
  func `a linked source that changed after the build is named`(source: String) throws {
    try write("", to: "Sources/\(source)", changed: 1_001)
    #expect(
      BuildAge.remark(of: executable, sources: sources)
        == "This executable is older than Sources/\(source), so it is not what the sources say: build it anew."
    )
  }

  @Test func `a copied executable is not called old`() throws {
    try write("", to: "Sources/A/Linked.swift", changed: 1_001)
    try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("build/bench.product"))
    #expect(BuildAge.remark(of: executable, sources: sources) == nil)
  }
}
