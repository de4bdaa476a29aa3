import Foundation
import Timers
import UploadScenario

/// A job of the `http` service, with its request to the server.
final class HTTPExchange: ServiceRequest, HeapTimer, @unchecked Sendable {
  enum Progress { case waiting, silent, underWay, answered }

  // Invariant: only the service's thread touches the variables below, after it has taken the request from the inbox.
  var progress = Progress.waiting
  var deadlineNanoseconds: UInt64 = 0
  var heapPosition: Int?
  var transfer: (any Cancellable)?
  /// The receipt of the bytes that were read for the upload.
  var receipt: Receipt?
  var byteCount = 0
  /// Whether the service cancelled the exchange because it took too long.
  var isGivenUp = false

  var expectedBytes: Int {
    guard case .request(let request, _, _) = job else { return 0 }
    if case .uploadChunk(let chunk) = request { return chunk.byteCount }
    return request.mediaToStore?.byteCount ?? 0
  }
}

/// The message that an exchange has ended.
final class HTTPEnding: ServiceMessage, @unchecked Sendable {
  private let exchange: HTTPExchange
  private let result: Result<Int, HTTPFailure>

  init(of exchange: HTTPExchange, _ result: Result<Int, HTTPFailure>) {
    self.exchange = exchange
    self.result = result
  }

  override func arrive(at thread: ServiceThread) {
    unsafeDowncast(thread, to: HTTPDispatcher.self).end(exchange, result)
  }
}

/// The bytes of an upload, which are in memory, and their receipt.
struct HTTPBody: Sendable {
  /// The largest number of bytes in one request. The bytes are in memory while they are sent.
  static let mostBytes = 1 << 30

  let bytes: Data
  let receipt: Receipt

  /// Reads a whole media file. Throws if the file has changed since it was found.
  init(_ media: Media) throws {
    func refuse(_ reason: String) -> UploadFailure { UploadFailure(mediaIndex: media.index, reason: reason) }
    guard media.byteCount <= Self.mostBytes else {
      throw refuse("\(media.byteCount) bytes are too many for one request: use at most \(Self.mostBytes)")
    }
    // The buffer is larger than the expected size, to detect a file that has grown.
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: (media.byteCount + 15) / 8 * 8, alignment: 16)
    let count: Int
    do {
      var reader = try MediaReader(media)
      count = try reader.read(into: buffer)
    } catch {
      buffer.deallocate()
      throw refuse("\(error)")
    }
    bytes = Data(
      bytesNoCopy: buffer.baseAddress!, count: count, deallocator: .custom { base, _ in base.deallocate() })
    guard count == media.byteCount else {
      throw refuse("the file has changed since the start of the run: start again")
    }
    receipt = Receipt(mediaIndex: media.index, byteCount: count, checksum: Self.checksum(of: media, bytes))
  }

  /// The checksum of the bytes. For a synthetic media file, it is the seed of the bytes, so it is not computed from them.
  private static func checksum(of media: Media, _ bytes: Data) -> UInt64 {
    if case .synthetic = media.source { return media.checksum }
    var checksum = Checksum()
    bytes.withUnsafeBytes { checksum.update($0) }
    return checksum.value
  }
}
