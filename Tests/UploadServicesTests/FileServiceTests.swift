import Foundation
import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

@Suite(.ownThread) struct FileServiceTests {
  /// Three files, one of them empty and one of several chunks with a ragged end, under names that need care.
  private func writeMedia(in folder: String) throws -> Post {
    var generator = SeededGenerator(seed: 4)
    for (name, size) in [("a b.jpg", 1_000), ("empty.png", 0), ("ü..mp4", 700_003)] {
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    return Post(id: 7, media: try MediaDirectory.media(in: folder))
  }

  private func publish(_ post: Post, store: String, syncsToDisk: Bool = false) throws -> [Result<
    Receipt, any Error
  >] {
    let service = try FileService.sharing(
      [Account(ledger: testLedger(post.media.count))], store: store, syncsToDisk: syncsToDisk)[0]
    let answers = upload(post.media, to: service)
    let results = answers.wait(for: post.media.count)
    let posts = Answers<Publication>()
    _ = service.createPost(post, receipts: post.media.map(\.expectedReceipt)) { posts.append($0) }
    _ = try posts.wait(for: 1).first?.get()
    return results
  }

  @Test(arguments: [false, true])
  func `stored objects equal their sources byte for byte`(_ syncsToDisk: Bool) throws {
    let media = Scratch()
    let store = Scratch()
    let post = try writeMedia(in: media.path)
    let results = try publish(post, store: store.path + "/made/on/the/way", syncsToDisk: syncsToDisk)
    #expect(Set(results.compactMap { try? $0.get() }) == Set(post.media.map(\.expectedReceipt)))
    #expect(try StoreVerifier.problems(of: post, inStore: store.path + "/made/on/the/way") == [])
  }

  /// A shell's limit would be too low if each upload in flight held a descriptor.
  @Test func `thousands of uploads at once take a handful of descriptors`() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      #if canImport(Darwin)
        let kind = RLIMIT_NOFILE
      #else
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #endif
      getrlimit(kind, &limit)
      limit.rlim_cur = 48
      try #require(setrlimit(kind, &limit) == 0)
      let store = Scratch()
      let post = testPost(3_000)
      let service = try FileService.sharing(
        [Account(ledger: testLedger(post.media.count))], store: store.path, syncsToDisk: false)[0]
      let answers = upload(post.media, to: service)
      let results = answers.wait(for: post.media.count)
      try #require(Set(results.map(\.arrived)) == Set(post.media.indices.map(Optional.init)))
    }
  }

  @Test func `synthetic media are stored, too`() throws {
    let store = Scratch()
    let post = testPost(3, payloadBytes: 300_001)
    let results = try publish(post, store: store.path)
    #expect(Set(results.compactMap { try? $0.get() }) == Set(post.media.map(\.expectedReceipt)))
    #expect(try StoreVerifier.problems(of: post, inStore: store.path) == [])
  }

  @Test func `damage is found`() throws {
    let store = Scratch()
    let post = testPost(4, payloadBytes: 1_000)
    _ = try publish(post, store: store.path)
    let names = post.media.map { store.path(ObjectName.of($0)) }
    try FileManager.default.removeItem(atPath: names[0])
    var data = try Data(contentsOf: URL(fileURLWithPath: names[1]))
    data[500] ^= 1
    try data.write(to: URL(fileURLWithPath: names[1]))
    truncate(names[2], 10)
    try store.write("{}", to: "manifest.json")
    try store.write("", to: "stranger")
    #expect(
      try StoreVerifier.problems(of: post, inStore: store.path).map(\.description) == [
        "000000-photo.bin is missing",
        "000001-photo.bin is damaged: byte 500 differs",
        "000002-photo.bin is damaged: it ends before byte 10",
        "manifest.json is damaged: it cannot be decoded",
        "stranger does not belong to the post",
      ])
  }

  /// Otherwise a file elsewhere would count as stored, and a pipe would block the comparison.
  @Test func `links and pipes in a store are not followed`() throws {
    let folder = Scratch()
    let post = testPost(1)
    let store = folder.path("store")
    _ = try publish(post, store: store)
    symlink(store, folder.path("link"))
    #expect(throws: FileError.self) { try StoreVerifier.problems(of: post, inStore: folder.path("link")) }
    let manifest = "\(store)/manifest.json"
    try FileManager.default.moveItem(atPath: manifest, toPath: folder.path("elsewhere"))
    for put in [{ symlink(folder.path("elsewhere"), manifest) }, { mkfifo(manifest, 0o600) }] {
      #expect(put() == 0)
      #expect(
        try StoreVerifier.problems(of: post, inStore: store)
          == [.damaged(name: "manifest.json", detail: "it is not a file")])
      try FileManager.default.removeItem(atPath: manifest)
    }
  }

  @Test func `a link in the store is replaced, not followed`() throws {
    let folder = Scratch()
    let post = testPost(1)
    let (store, outside) = (folder.path("store"), folder.path("outside"))
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    try Data("precious".utf8).write(to: URL(fileURLWithPath: outside))
    try FileManager.default.createSymbolicLink(
      atPath: "\(store)/\(ObjectName.of(post.media[0]))", withDestinationPath: outside)
    _ = try publish(post, store: store)
    #expect(try String(contentsOfFile: outside, encoding: .utf8) == "precious")
    #expect(try StoreVerifier.problems(of: post, inStore: store) == [])
  }

  @Test(arguments: ["..", ".", "", "a/b"])
  func `a subdirectory cannot leave the store`(_ name: String) throws {
    let store = Scratch()
    #expect(throws: FileError.self) { try ObjectStore(root: store.path, subdirectory: name) }
    symlink("/tmp", store.path("link"))
    #expect(throws: FileError.self) { try ObjectStore(root: store.path, subdirectory: "link") }
  }

  @Test func `a source is never overwritten`() throws {
    let folder = Scratch()
    let post = try writeMedia(in: folder.path)
    let results = try? publish(post, store: folder.path)
    #expect(
      results?.allSatisfy { $0.failure?.reason.hasPrefix("the store contains the source file") == true }
        == true)
    #expect(try MediaDirectory.media(in: folder.path) == post.media)
  }

  @Test func `a missing source is reported`() throws {
    let folder = Scratch()
    let store = Scratch()
    let post = try writeMedia(in: folder.path)
    try FileManager.default.removeItem(atPath: folder.path("a b.jpg"))
    let failures = try publish(post, store: store.path).compactMap(\.failure)
    #expect(
      failures == [
        UploadFailure(
          mediaIndex: 0,
          reason: "cannot read \(folder.path)/a b.jpg: it does not exist (any more); check the path")
      ])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.path).sorted()
        == ["000001-empty.png", "000002-_..mp4", "manifest.json"])
  }

  @Test func `a store that is a file is reported`() throws {
    let folder = Scratch()
    let path = try folder.write("", to: "file")
    let error = #expect(throws: FileError.self) { try ObjectStore(root: path, subdirectory: nil) }
    #expect(error?.path == path)
  }

  @Test func `a cancelled copy leaves nothing`() throws {
    let folder = Scratch()
    let store = try ObjectStore(root: folder.path, subdirectory: nil)
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
    defer { chunk.deallocate() }
    var chunks = 0
    #expect(throws: CancellationError.self) {
      try store.write("object", through: chunk, syncsToDisk: false) { chunk in
        chunks += 1
        if chunks == 3 { throw CancellationError() }
        return chunk.count
      }
    }
    #expect(chunks == 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `a queued upload can be cancelled`() throws {
    let store = Scratch()
    let post = testPost(2)
    let ledger = testLedger(2)
    let service = try FileService.sharing(
      [Account(ledger: ledger)], store: store.path, syncsToDisk: false, threads: 1)[0]
    expectCancellation(of: post, from: service, ledger)
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.path) == ["000000-photo.bin"])
  }
}
