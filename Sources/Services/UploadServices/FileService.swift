import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// A service that copies real bytes into a folder: each media file becomes an object, each post a manifest.
///
/// A few threads do the work. They end when the services that share them are released.
final class FileService: JobService {
  let ledger: Ledger
  let account: Account
  private let worker: FileWorker
  private let requests: WorkQueue<FileRequest>
  private let lease: ThreadLease

  /// Creates a service for each `Account`. All write into one store with the same threads. `subdirectory` is a folder in the store.
  static func sharing(
    _ accounts: [Account], store: String, subdirectory: String? = nil, syncsToDisk: Bool, threads: Int = 4
  ) throws(FileError) -> [FileService] {
    let store = try ObjectStore(root: store, subdirectory: subdirectory)
    let requests = WorkQueue<FileRequest>()
    for number in 1...max(1, threads) {
      _ = RawThread(name: "file-service-\(number)") { FileWorker.run(requests) }
    }
    let lease = ThreadLease { requests.close() }
    return accounts.map {
      FileService(FileWorker($0, store: store, syncsToDisk: syncsToDisk), requests, lease)
    }
  }

  private init(_ worker: FileWorker, _ requests: WorkQueue<FileRequest>, _ lease: ThreadLease) {
    account = worker.account
    ledger = account.ledger
    self.worker = worker
    self.requests = requests
    self.lease = lease
  }

  func uploadBlocking(_ media: Media) throws -> Receipt {
    try worker.uploadBlocking(media, attempt: ledger.requestStarted(.upload(media))).get()
  }

  func accept(_ job: Job) -> any Cancellable {
    let request = FileRequest(job, worker)
    requests.push(request)
    return request
  }
}

/// A job in the file service's queue, and the handle that cancels it.
final class FileRequest: Cancellable, @unchecked Sendable {
  // Invariant: after init, only the worker that popped the request touches `job`.
  private var job: Job?
  let worker: FileWorker
  private let cancelled = Atomic<Bool>(false)

  init(_ job: Job, _ worker: FileWorker) {
    self.job = job
    self.worker = worker
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Takes the job, so that the request no longer retains the completion.
  func takeJob() -> Job? { job.take() }
}

/// Handles the jobs of one `Account` on the file service's threads.
final class FileWorker: Sendable {
  /// The number of bytes that are copied between two checks for cancellation, a multiple of 8.
  private static let chunkBytes = 256 * 1024

  let account: Account
  private let store: ObjectStore
  private let syncsToDisk: Bool

  init(_ account: Account, store: ObjectStore, syncsToDisk: Bool) {
    self.account = account
    self.store = store
    self.syncsToDisk = syncsToDisk
  }

  static func run(_ requests: WorkQueue<FileRequest>) {
    let parker = Parker()
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
    defer { chunk.deallocate() }
    while let request = requests.pop(waitingOn: parker) { request.worker.answer(request, chunk) }
  }

  private func answer(_ request: FileRequest, _ chunk: UnsafeMutableRawBufferPointer) {
    switch request.takeJob() {
    case .request(let asked, let attempt, let completion):
      if let media = asked.mediaToStore {
        completion(upload(media, of: asked, attempt: attempt, request, chunk))
      } else {
        // A folder cannot answer requests for details and URLs, so the answer is simulated.
        account.answer(.request(asked, attempt: attempt, completion), isCancelled: request.isCancelled)
      }
    case .post(let post, let receipts, let completion):
      completion(createPost(post, receipts, request, chunk))
    case nil: break
    }
  }

  func uploadBlocking(_ media: Media, attempt: Int) -> Result<Receipt, any Error> {
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 16)
    defer { chunk.deallocate() }
    return upload(media, of: .upload(media), attempt: attempt, nil, chunk)
  }

  private func upload(
    _ media: Media, of asked: Request, attempt: Int, _ request: FileRequest?,
    _ chunk: UnsafeMutableRawBufferPointer
  ) -> Result<Receipt, any Error> {
    let answer = Result<Receipt, any Error> {
      if request?.isCancelled == true { throw CancellationError() }
      if let error = account.error(of: asked, attempt: attempt) { throw error }
      let written = try copy(media, request, chunk)
      // The receipt of a prepared file has the file's digest. Other receipts describe the bytes written.
      return if case .uploadTo(_, let prepared) = asked { prepared.receipt } else { written }
    }
    .mapError { error -> any Error in
      error is CancellationError || error is UploadFailure
        ? error : UploadFailure(mediaIndex: media.index, reason: "\(error)")
    }
    account.ledger.note(answer, of: asked)
    return answer
  }

  private func copy(
    _ media: Media, _ request: FileRequest?, _ chunk: UnsafeMutableRawBufferPointer
  ) throws -> Receipt {
    if case .file(let file) = media.source, store.holds(file.path) {
      throw FileError(
        path: file.path,
        reason:
          "the store contains the source file \(file.path): choose a store outside the media directory")
    }
    var reader = try MediaReader(media)
    let written = try store.write(ObjectName.of(media), through: chunk, syncsToDisk: syncsToDisk) { chunk in
      if request?.isCancelled == true { throw CancellationError() }
      return try reader.read(into: chunk)
    }
    // The checksum of a synthetic media file is the seed of its bytes, so it is not computed from them.
    let checksum = if case .synthetic = media.source { media.checksum } else { written.checksum }
    return Receipt(mediaIndex: media.index, byteCount: written.byteCount, checksum: checksum)
  }

  private func createPost(
    _ post: Post, _ receipts: [Receipt], _ request: FileRequest, _ chunk: UnsafeMutableRawBufferPointer
  ) -> Result<Publication, any Error> {
    Result {
      var rest = try Manifest(post, receipts: receipts).encoded()[...]
      _ = try store.write(ObjectName.manifest, through: chunk, syncsToDisk: syncsToDisk) { chunk in
        if request.isCancelled { throw CancellationError() }
        let count = rest.copyBytes(to: chunk)
        rest = rest.dropFirst(count)
        return count
      }
      return account.create(post, receipts)
    }
  }
}
