import Foundation
import TestSupport
import Testing
@testable import UploadScenario

@Suite(.ownThread) struct MediaDirectoryTests {
  private let scratch = Scratch()
  private var folder: URL { scratch.folder }

  private func write(_ text: String, _ path: String) throws {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func error(at path: String) -> FileError? {
    do throws(FileError) {
      _ = try MediaDirectory.media(in: path)
      return nil
    } catch {
      return error
    }
  }

  @Test func `media files are found in subfolders, sorted by path`() throws {
    for path in ["c.HEIC", "a/z.mov", "b.jpg", "a/y.png", "notes.txt", ".hidden.jpg"] {
      try write(path, path)
    }
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("folder.jpg"), withIntermediateDirectories: true)
    let media = try MediaDirectory.media(in: folder.path)
    #expect(media.map(\.index) == [0, 1, 2, 3])
    #expect(media.map(\.kind) == [.photo, .video, .photo, .photo])
    #expect(media.map(\.byteCount) == [7, 7, 5, 6])
    let names = media.compactMap { if case .file(let file) = $0.source { file.name } else { nil } }
    #expect(names == ["y.png", "z.mov", "b.jpg", "c.HEIC"])
    #expect(Set(media.map(\.checksum)).count == 4)
  }

  @Test func `links are not followed`() throws {
    try write("outside", "outside/secret.jpg")
    try write("inside", "media/a.jpg")
    let media = folder.appendingPathComponent("media")
    for (name, target) in [("link.jpg", "outside/secret.jpg"), ("out", "outside"), ("circle", "media")] {
      try FileManager.default.createSymbolicLink(
        at: media.appendingPathComponent(name), withDestinationURL: folder.appendingPathComponent(target))
    }
    #expect(try MediaDirectory.media(in: media.path).count == 1)
  }

  @Test func `a subfolder that becomes a link is not followed`() throws {
    try write("inside", "media/sub/deep/a.jpg")
    try write("outside", "outside/deep/a.jpg")
    let listed = try MediaDirectory.media(in: folder.path + "/media")
    let (sub, path) = (folder.path + "/media/sub", folder.path + "/media/sub/deep/a.jpg")
    _ = try MediaReader(listed[0])
    try FileManager.default.removeItem(atPath: sub)
    try FileManager.default.createSymbolicLink(atPath: sub, withDestinationPath: folder.path + "/outside")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "outside")
    do throws(FileError) {
      _ = try MediaReader(listed[0])
      Issue.record("a file outside of the folder was opened")
    } catch {
      #expect(error.path == path)
    }
  }

  @Test func `the folder itself may be a link`() throws {
    try write("inside", "media/sub/a.jpg")
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/media")
    #expect(try MediaDirectory.media(in: link + "/").map(\.byteCount) == [6])
  }

  #if os(Linux)
    @Test(arguments: [("a.jpg", true), ("a.JPEG", true), ("folder", true), ("a.txt", false), ("", false)])
    func `a name that is not UTF-8 is reported of what is used`(ending: String, isUsed: Bool) throws {
      try write("photo", "b.jpg")
      let path = Array("\(folder.path)/".utf8) + [0xFF, 0xFE] + Array("\(ending)\0".utf8)
      path.withUnsafeBytes { bytes in
        let path = bytes.assumingMemoryBound(to: CChar.self).baseAddress!
        _ = ending == "folder" ? mkdir(path, 0o700) : close(creat(path, 0o600))
      }
      let name = "\(folder.path)/\u{FFFD}\u{FFFD}\(ending)"
      #expect(
        error(at: folder.path)?.description
          == (isUsed
            ? "cannot read \(name): its name is not UTF-8: rename it; allow reading it or move it out of the media directory"
            : nil))
    }
  #endif

  @Test func `a wrong path is reported`() throws {
    try write("text", "notes.txt")
    let (file, missing) = (folder.path + "/notes.txt", folder.path + "/none")
    for (path, start) in [
      (missing, "no media directory at \(missing): check the path"), (file, "\(file) is not a directory"),
      (folder.path, "no photo or video in \(folder.path): "),
    ] {
      let error = try #require(self.error(at: path))
      #expect(error.path == path)
      #expect(error.description.hasPrefix(start))
    }
  }

  @Test(.disabled(if: geteuid() == 0, "the superuser may read everything"))
  func `an unreadable file is reported`() throws {
    try write("secret", "a.jpg")
    let path = folder.path + "/a.jpg"
    chmod(path, 0)
    #expect(error(at: path.replacingOccurrences(of: "/a.jpg", with: "")) == FileError(EACCES, path: path))
  }
}
