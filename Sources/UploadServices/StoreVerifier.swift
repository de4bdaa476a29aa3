import Foundation
import UploadScenario

/// Something in a store that is not as the post has it.
public enum StoreProblem: Sendable, Hashable, CustomStringConvertible {
  case missing(name: String)
  case damaged(name: String, detail: String)
  /// An object that the post does not have, or the remains of an upload.
  case surplus(name: String)

  public var description: String {
    switch self {
    case .missing(let name): "\(name) is missing"
    case .damaged(let name, let detail): "\(name) is damaged: \(detail)"
    case .surplus(let name): "\(name) does not belong to the post"
    }
  }
}

/// Holds a store against the post that was published into it, byte for byte.
public enum StoreVerifier {
  private static let chunkBytes = 256 * 1024

  /// Everything that differs: first the objects in the order of the post, then the manifest, then what is surplus.
  ///
  /// Throws `StoreError` if the store or a source cannot be read: then nothing can be said.
  public static func problems(of post: Post, inStore store: String) throws -> [StoreProblem] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: store)
    } catch {
      throw StoreError(
        path: store, reason: "cannot read the store \(store): \(error.localizedDescription); check the path")
    }
    let expected = post.media.map(ObjectName.of)
    let present = Set(names)
    var problems: [StoreProblem] = []
    for (media, name) in zip(post.media, expected) {
      guard present.contains(name) else {
        problems.append(.missing(name: name))
        continue
      }
      if let detail = try difference(of: media, from: "\(store)/\(name)") {
        problems.append(.damaged(name: name, detail: detail))
      }
    }
    problems += manifestProblems(of: post, in: store, isPresent: present.contains(ObjectName.manifest))
    let surplus = present.subtracting(expected).subtracting([ObjectName.manifest])
    return problems + surplus.sorted().map { .surplus(name: $0) }
  }

  private static func difference(of media: Media, from path: String) throws -> String? {
    var source = try MediaReader(media)
    let stand = MediaFile(path: path, name: ObjectName.of(media))
    guard isRegularFile(path) else { return "it is not a file" }
    var object = try MediaReader(
      Media(index: media.index, kind: media.kind, byteCount: 0, checksum: 0, source: .file(stand)))
    let (a, b) = (allocateChunk(), allocateChunk())
    defer {
      a.deallocate()
      b.deallocate()
    }
    var offset = 0
    while true {
      let expected = try source.read(into: a)
      let got = try object.read(into: b)
      let common = min(expected, got)
      if memcmp(a.baseAddress!, b.baseAddress!, common) != 0 {
        let first = zip(a, b).prefix(common).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
        return "byte \(offset + first) differs"
      }
      if expected != got { return "it ends \(got < expected ? "before" : "after") byte \(offset + common)" }
      if expected == 0 { return nil }
      offset += expected
    }
  }

  private static func manifestProblems(
    of post: Post, in store: String, isPresent: Bool
  ) -> [StoreProblem] {
    guard isPresent else { return [.missing(name: ObjectName.manifest)] }
    let data = FileManager.default.contents(atPath: "\(store)/\(ObjectName.manifest)") ?? Data()
    guard let manifest = try? JSONDecoder().decode(Manifest.self, from: data) else {
      return [.damaged(name: ObjectName.manifest, detail: "it cannot be decoded")]
    }
    guard manifest == Manifest(post, receipts: post.media.map(\.expectedReceipt)) else {
      return [.damaged(name: ObjectName.manifest, detail: "it lists other objects")]
    }
    return []
  }

  private static func isRegularFile(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
  }

  private static func allocateChunk() -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: chunkBytes, alignment: 16)
  }
}
