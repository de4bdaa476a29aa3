import Foundation
import UploadScenario

/// An object that a post creates in a store: a media file, or a part of one.
public struct StoredObject: Sendable {
  public let name: String
  public let byteCount: Int
  let media: Media
  /// The offset in the media file at which the object begins.
  let offset: Int

  public static func all(of post: Post, _ scenario: Scenario) -> [StoredObject] {
    guard scenario.pattern.isChunked, let media = post.media.first else { return all(of: post) }
    return stride(from: 0, to: media.byteCount, by: scenario.chunkBytes).enumerated().map { index, offset in
      StoredObject(
        name: ObjectName.part(index), byteCount: min(scenario.chunkBytes, media.byteCount - offset),
        media: media, offset: offset)
    }
  }

  static func all(of post: Post) -> [StoredObject] {
    post.media.map {
      StoredObject(name: ObjectName.of($0), byteCount: $0.byteCount, media: $0, offset: 0)
    }
  }
}

enum ObjectName {
  static let manifest = "manifest.json"
  /// The number of characters of a file's name that are kept, because file systems allow names of 255 bytes.
  private static let longestName = 120

  /// The media file's index and name, such as `000003-beach.jpg`. No name contains a separator or begins with a dot.
  static func of(_ media: Media) -> String {
    let name =
      switch media.source {
      case .file(let file): file.name
      case .synthetic: "\(media.kind.rawValue).bin"
      }
    // The end of the name is kept, because it contains the file extension.
    return String(format: "%06d-", media.index) + String(safe(name).suffix(longestName))
  }

  static func safe(_ name: String, also other: Unicode.Scalar = "_") -> String {
    String(
      name.unicodeScalars.map { scalar -> Character in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_", other: Character(scalar)
        default: "_"
        }
      })
  }

  static func of(_ chunk: Chunk) -> String { part(chunk.index) }

  static func part(_ index: Int) -> String { String(format: "%06d-part.bin", index) }
}

/// The content of `manifest.json`, which lists the objects of a post.
struct Manifest: Codable, Equatable {
  struct Object: Codable, Equatable {
    var name: String
    var byteCount: Int
    /// The checksum as a hexadecimal string, because many JSON parsers do not read 64-bit numbers exactly.
    var checksum: String
  }

  var postID: String
  /// The objects, in the order of the post.
  var objects: [Object]

  /// - Parameter isInParts: whether the receipts are those of the parts of one media file.
  init(_ post: Post, receipts: [Receipt], isInParts: Bool = false) {
    postID = String(post.id, radix: 16)
    objects = receipts.map { receipt in
      Object(
        name: isInParts
          ? ObjectName.part(receipt.mediaIndex)
          : post.media.indices.contains(receipt.mediaIndex)
            ? ObjectName.of(post.media[receipt.mediaIndex]) : "media file \(receipt.mediaIndex)",
        byteCount: receipt.byteCount, checksum: String(receipt.checksum, radix: 16))
    }
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(self)
  }
}

/// A difference between a store and its post.
public enum StoreProblem: Sendable, Hashable, CustomStringConvertible {
  case missing(name: String)
  case damaged(name: String, detail: String)
  /// An object that does not belong to the post, or an incomplete upload.
  case surplus(name: String)

  public var description: String {
    switch self {
    case .missing(let name): "\(name) is missing"
    case .damaged(let name, let detail): "\(name) is damaged: \(detail)"
    case .surplus(let name): "\(name) does not belong to the post"
    }
  }
}

/// Compares a store with the post that was published into it, byte for byte.
public enum StoreVerifier {
  private static let chunkBytes = 256 * 1024

  /// All differences between a store and a post whose media files are stored as whole files. Throws if a file cannot be read.
  public static func problems(of post: Post, inStore store: String) throws -> [StoreProblem] {
    try problems(
      in: store, objects: StoredObject.all(of: post),
      manifest: Manifest(post, receipts: post.media.map(\.expectedReceipt)))
  }

  /// All differences, whatever the pattern: a stream is stored in parts, and some receipts describe prepared bytes.
  public static func problems(of expectation: Expectation, inStore store: String) throws -> [StoreProblem] {
    let (post, scenario) = (expectation.post, expectation.scenario)
    return try problems(
      in: store, objects: StoredObject.all(of: post, scenario),
      manifest: Manifest(post, receipts: expectation.receipts, isInParts: scenario.pattern.isChunked))
  }

  private static func problems(
    in store: String, objects: [StoredObject], manifest: Manifest
  ) throws -> [StoreProblem] {
    guard kind(of: store) != S_IFLNK else { throw FileError(ELOOP, attempt: "read the store", path: store) }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: store)
    } catch {
      throw FileError(
        path: store, reason: "cannot read the store \(store): \(error.localizedDescription); check the path")
    }
    let present = Set(names)
    var problems: [StoreProblem] = []
    for object in objects {
      guard present.contains(object.name) else {
        problems.append(.missing(name: object.name))
        continue
      }
      if let detail = try difference(of: object, in: store) {
        problems.append(.damaged(name: object.name, detail: detail))
      }
    }
    problems += manifestProblems(manifest, in: store, isPresent: present.contains(ObjectName.manifest))
    let surplus = present.subtracting(objects.map(\.name)).subtracting([ObjectName.manifest])
    return problems + surplus.sorted().map { .surplus(name: $0) }
  }

  private static func difference(of object: StoredObject, in store: String) throws -> String? {
    var source = try MediaReader(object.media)
    let stand = MediaFile(folder: store, relativePath: object.name)
    guard kind(of: stand.path) == S_IFREG else { return "it is not a file" }
    var stored = try MediaReader(
      Media(
        index: object.media.index, kind: object.media.kind, byteCount: 0, checksum: 0, source: .file(stand)))
    let (a, b) = (allocateChunk(), allocateChunk())
    defer {
      a.deallocate()
      b.deallocate()
    }
    try skip(object.offset, of: &source, through: a)
    var offset = 0
    while true {
      let left = UnsafeMutableRawBufferPointer(
        rebasing: a[..<min(a.count, (object.byteCount - offset + 7) / 8 * 8)])
      let expected = left.isEmpty ? 0 : min(try source.read(into: left), object.byteCount - offset)
      let got = try stored.read(into: b)
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

  /// Skips the first bytes of a media file, a multiple of 8, so that the reader stands at the start of a stored part.
  private static func skip(
    _ byteCount: Int, of source: inout MediaReader, through chunk: UnsafeMutableRawBufferPointer
  ) throws {
    var left = byteCount
    while left > 0 {
      let count = try source.read(
        into: UnsafeMutableRawBufferPointer(rebasing: chunk[..<min(chunk.count, left)]))
      if count == 0 { return }
      left -= count
    }
  }

  private static func manifestProblems(
    _ expected: Manifest, in store: String, isPresent: Bool
  ) -> [StoreProblem] {
    func damaged(_ detail: String) -> [StoreProblem] { [.damaged(name: ObjectName.manifest, detail: detail)] }
    guard isPresent else { return [.missing(name: ObjectName.manifest)] }
    let path = "\(store)/\(ObjectName.manifest)"
    guard kind(of: path) == S_IFREG else { return damaged("it is not a file") }
    let data = FileManager.default.contents(atPath: path) ?? Data()
    guard let manifest = try? JSONDecoder().decode(Manifest.self, from: data) else {
      return damaged("it cannot be decoded")
    }
    return manifest == expected ? [] : damaged("it lists other objects than the post has")
  }

  /// The type of the file at a path, which may be a link.
  private static func kind(of path: String) -> mode_t? {
    var info = stat()
    return lstat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
  }

  private static func allocateChunk() -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: chunkBytes, alignment: 16)
  }
}
