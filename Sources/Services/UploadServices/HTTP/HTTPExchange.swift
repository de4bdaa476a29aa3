import Foundation
import Timers
import UploadScenario

/// A job on its way to the endpoint: its message to the thread, and its cancel handle.
final class HTTPExchange: ServiceRequest, HeapTimer, @unchecked Sendable {
  /// Its progress, for the service's thread.
  enum Progress { case waiting, silent, underWay, answered }

  // Invariant: only the service's thread touches the variables below, after it has taken the request from the inbox.
  var progress = Progress.waiting
  var deadlineNanoseconds: UInt64 = 0
  var heapPosition: Int?
  /// The transport's handle.
  var transfer: (any Cancellable)?
  /// The proof of the upload, once its bytes were read.
  var receipt: Receipt?
  var byteCount = 0
  /// It was cancelled because it took too long.
  var isGivenUp = false

  /// How many bytes it will have in memory.
  var expectedBytes: Int {
    guard case .request(let request, _, _) = job else { return 0 }
    if case .uploadChunk(let chunk) = request { return chunk.byteCount }
    return request.mediaToStore?.byteCount ?? 0
  }
}

/// Reports how an exchange ended.
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

/// The bytes of an upload, in memory, and their receipt.
struct HTTPBody: Sendable {
  /// The limit for one request, because its bytes are in memory.
  static let mostBytes = 1 << 30

  let bytes: Data
  let receipt: Receipt

  /// Reads a whole media file; a file that has changed since it was found is an error.
  init(_ media: Media) throws {
    func refuse(_ reason: String) -> UploadFailure { UploadFailure(mediaIndex: media.index, reason: reason) }
    guard media.byteCount <= Self.mostBytes else {
      throw refuse("\(media.byteCount) bytes are more than the \(Self.mostBytes) that http sends at once")
    }
    // A little more than expected, to detect a file that has grown.
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
      throw refuse("its file has changed since it was found: start again")
    }
    receipt = Receipt(mediaIndex: media.index, byteCount: count, checksum: Self.checksum(of: media, bytes))
  }

  /// Synthetic bytes are made from the checksum, which therefore stands for them.
  private static func checksum(of media: Media, _ bytes: Data) -> UInt64 {
    if case .synthetic = media.source { return media.checksum }
    var checksum = Checksum()
    bytes.withUnsafeBytes { checksum.update($0) }
    return checksum.value
  }
}
