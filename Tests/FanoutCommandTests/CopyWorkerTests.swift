import Foundation
@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct CopyWorkerTests {
  private struct Folder {
    let scratch: Scratch
    var path: String { scratch.folder.path }

    init() throws {
      scratch = try Scratch()
      try FileManager.default.createDirectory(atPath: path + "/media", withIntermediateDirectories: true)
      for index in 0..<5 {
        try Data(repeating: 7, count: 1_000).write(to: URL(fileURLWithPath: "\(path)/media/\(index).jpg"))
      }
    }

    func options(_ arguments: String...) throws -> RunOptions { try options(arguments) }

    func options(_ arguments: [String]) throws -> RunOptions {
      try RunOptions(
        ["--media", path + "/media"] + arguments, known: ContenderList([Named("a"), Named("b")]))
    }

    func exists(_ name: String) -> Bool { scratch.has(name) }
  }

  @Test func `cp is measured where each file is copied once`() throws {
    let folder = try Folder()
    func participants(_ arguments: String...) throws -> [[String]] {
      let options = try folder.options(arguments)
      return options.scenarios.map { options.participants[$0.name] ?? [] }
    }
    #expect(try participants() == [["a", "b", "cp"]])
    #expect(try participants("--patterns", "sequence", "--fsync") == [["a", "b", "cp"]])
    #expect(try participants("--patterns", "presigned") == [["a", "b"]])
    #expect(try participants("--fail-at", "1") == [["a", "b"]])
  }

  @Test(arguments: [1, 3]) func `a sample of cp copies as often as requested`(iterations: Int) throws {
    let folder = try Folder()
    let store = try Store(for: folder.options("--store", folder.path + "/store").scenarios)
    let worker = CopyWorker()
    let reply = try worker.run(SampleRequest(scenario: store.scenarios[0], iterations: iterations))
    #expect(reply.outcome == .measured)
    #expect(reply.wallNanoseconds > 0)
    #expect(reply.usage.cpuNanoseconds > 0)
    let counted = try worker.run(
      SampleRequest(scenario: store.scenarios[0], iterations: 1, purpose: .profile))
    #expect(counted.outcome == .measured && counted.counts == nil)
  }

  @Test func `a store removes its own files and keeps those of the user`() throws {
    let folder = try Folder()
    let scenarios = try folder.options("--store", folder.path + "/store").scenarios
    let store = try Store(for: scenarios)
    try Data().write(to: URL(fileURLWithPath: folder.path + "/store/kept"))
    #expect(folder.exists("store/cp/links/000004-4.jpg"))
    // Another run in the same store would copy over this one's files.
    #expect(throws: FileProblem.self) { try Store(for: scenarios) }
    store.clean()
    #expect(!folder.exists("store/cp"))
    #expect(folder.exists("store/kept"))
  }
}
