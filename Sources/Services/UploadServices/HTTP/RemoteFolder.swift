import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// A folder at an endpoint, seen from outside of any measurement.
public struct RemoteFolder: Sendable {
  private let folder: Endpoint
  private let transport: any HTTPTransport

  public init(_ folder: Endpoint, over transport: any HTTPTransport) {
    self.folder = folder
    self.transport = transport
  }

  /// Whether an object that is put there can be got back; throws what went wrong.
  public func check() throws {
    let name = "check.txt"
    let bytes = Data("written to see whether uploads are taken\n".utf8)
    let written = wait(HTTPRequest(.put, name, in: folder, body: bytes)) { _ in }
    if let failure = written { throw failure }
    let read = Mutex(Data())
    let failure = wait(HTTPRequest(.get, name, in: folder)) { data in read.withLock { $0 += data } }
    if let failure { throw failure }
    guard read.withLock({ $0 == bytes }) else {
      throw StoreError(path: folder.url, reason: "what was written is not what can be read")
    }
  }

  /// Copies objects and the manifest into a directory; what the server does not have is not there afterwards.
  public func copy(_ objects: [StoredObject], to directory: String, connections: Int = 8) throws {
    let names = objects.map { ($0.name, $0.byteCount) } + [(ObjectName.manifest, 1 << 30)]
    let next = Atomic<Int>(0)
    let problem = Mutex<(any Error)?>(nil)
    let threads = (1...connections).map { number in
      RawThread(name: "copy-\(number)") {
        while case let index = next.add(1, ordering: .relaxed).oldValue, index < names.count {
          do { try copy(names[index].0, names[index].1, to: directory) } catch {
            problem.withLock { $0 = $0 ?? error }
            return
          }
        }
      }
    }
    for thread in threads { thread.join() }
    if let problem = problem.withLock({ $0 }) { throw problem }
  }

  private func copy(_ name: String, _ byteCount: Int, to directory: String) throws {
    let path = "\(directory)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StoreError(errno, attempt: "write", path: path) }
    defer { close(file) }
    let code = Atomic<Int32>(0)
    // One byte more than there should be is enough to see that there is too much.
    let request = HTTPRequest(.get, name, in: folder, mostAnswerBytes: byteCount + 1)
    let failure = wait(request, bytes: byteCount) { data in
      if !data.withUnsafeBytes({ writeAll($0, to: file) }) { code.store(errno, ordering: .relaxed) }
    }
    if code.load(ordering: .relaxed) != 0 {
      throw StoreError(code.load(ordering: .relaxed), attempt: "write", path: path)
    }
    switch failure {
    case nil, .tooLong: return
    case .status(404): unlink(path)
    case let failure?:
      throw StoreError(path: folder.url, reason: "cannot read \(folder.url)/\(name) back: \(failure)")
    }
  }

  /// nil: it went well.
  ///
  /// - Parameter bytes: at most so many are read; a second is given for every 64 KiB of them, besides 20 s, but no more than
  ///   five minutes.
  private func wait(
    _ request: HTTPRequest, bytes: Int = 0, receive: @escaping @Sendable (Data) -> Void
  ) -> HTTPFailure? {
    let ended = PendingAnswer<Result<HTTPAnswer, HTTPFailure>>()
    let handle = transport.send(request, receive: receive) { ended.give($0) }
    // The transport itself gives up when nothing is heard; this is for an answer without end.
    let seconds = min(300, 20 + UInt64(bytes) / 65_536)
    let deadline = MonotonicClock.nanoseconds() + seconds * 1_000_000_000
    if ended.wait(untilNanoseconds: deadline) == nil { handle.cancel() }
    switch ended.wait() {
    case .success(let answer): return HTTPFailure(status: answer.status)
    case .failure(let failure): return failure
    }
  }
}
