import Foundation
import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

@Suite(.ownThread) struct CopyBaselineTests {
  /// A folder with `media`, where two files share a name, and `store`.
  private final class Folder {
    let path = NSTemporaryDirectory() + "baseline-tests-\(UUID().uuidString)"
    var store: String { path + "/store" }

    init() throws {
      for name in ["media/a", "media/b", "store"] {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
      }
      for (name, count) in [("a/one.jpg", 3), ("b/one.jpg", 70_000), ("empty.png", 0)] {
        try Data(repeating: 7, count: count).write(to: URL(fileURLWithPath: "\(path)/media/\(name)"))
      }
      try Data(repeating: 1, count: 999).write(to: URL(fileURLWithPath: "\(path)/media/notes.txt"))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func post() throws -> Post { Post(id: 1, media: try MediaDirectory.media(in: path + "/media")) }

    func names(_ folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }
  }

  @Test(arguments: [false, true]) func `the baseline copies the post's files and leaves nothing`(
    syncsToDisk: Bool
  ) throws {
    let folder = try Folder()
    let post = try folder.post()
    try CopyBaseline.prepare(post, folder: folder.store)
    let baseline = CopyBaseline(post: post, folder: folder.store, syncsToDisk: syncsToDisk)
    // Twice: each time into a fresh folder.
    for _ in 0..<2 { #expect(try baseline.measure() > 0) }
    #expect(try folder.names("store") == ["links"])
    #expect(try folder.names("store/links") == post.media.map(ObjectName.of))
    #expect(post.media.count == 3)
  }

  @Test func `a copy of changed files is no measurement`() throws {
    let folder = try Folder()
    let post = try folder.post()
    try CopyBaseline.prepare(post, folder: folder.store)
    let baseline = CopyBaseline(post: post, folder: folder.store, syncsToDisk: false)
    try Data(repeating: 7, count: 4).write(to: URL(fileURLWithPath: folder.path + "/media/a/one.jpg"))
    let error = #expect(throws: FileError.self) { try baseline.measure() }
    #expect(
      error?.reason == "cp copied 3 files of 70004 bytes, not 3 of 70003: the media files have changed")
    #expect(try folder.names("store") == ["links"])
  }

  @Test func `a failed cp is reported`() throws {
    let folder = try Folder()
    let post = try folder.post()
    // Links that were never made.
    let baseline = CopyBaseline(post: post, folder: folder.store, syncsToDisk: false)
    let error = #expect(throws: FileError.self) { try baseline.measure() }
    #expect(error?.reason == "cp ended with status 1 on the way to \(folder.store)/copy")
  }

  @Test func `links that exist already are refused`() throws {
    let folder = try Folder()
    try CopyBaseline.prepare(try folder.post(), folder: folder.store)
    #expect(throws: FileError.self) { try CopyBaseline.prepare(try folder.post(), folder: folder.store) }
  }
}
