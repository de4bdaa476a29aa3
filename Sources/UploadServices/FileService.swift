import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// A service that copies real bytes into a folder: each media an object, each post a manifest.
///
/// An object appears under its name only when it is whole. A failed upload says which path failed and what to do; a
/// cancelled one leaves nothing behind. The work is done by a few raw threads, since a disk gains nothing from more;
/// once the last reference is gone they finish what was asked and end.
public final class FileService: UploadService {
  private let requests = WorkQueue<FileRequest>()
  private let ledger: Ledger
  private let worker: FileWorker
  private let local: LocalWork

  /// Opens the store, and makes it if it is missing.
  ///
  /// `subdirectory` is one plain name below `store`; nil: the store itself. Throws `StoreError`.
  public init(
    ledger: Ledger, faults: Faults, store: String, subdirectory: String? = nil, syncsToDisk: Bool,
    threads: Int = 4, preparePasses: Int = 1
  ) throws {
    self.ledger = ledger
    local = LocalWork(ledger: ledger, preparePasses: preparePasses)
    let worker = FileWorker(
      ledger: ledger, faults: faults, store: try ObjectStore(root: store, subdirectory: subdirectory),
      syncsToDisk: syncsToDisk)
    self.worker = worker
    for number in 1...max(1, threads) {
      _ = RawThread(name: "file-service-\(number)") { [requests] in worker.run(requests) }
    }
  }

  deinit { requests.close() }

  public func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    let attempt = ledger.requestStarted(request)
    return accept(.request(request, attempt: attempt, completion))
  }

  public func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    accept(.post(post, receipts, completion))
  }

  public func uploadBlocking(_ media: Media) throws -> Receipt {
    let request = Request.upload(media)
    return try worker.workBlocking(request, attempt: ledger.requestStarted(request)).get()
  }

  public func prepare(_ media: Media) throws -> PreparedMedia { try local.prepare(media) }

  public func chunks(of media: Media) throws -> ChunkReader { try local.chunks(of: media) }

  private func accept(_ job: Job) -> any Cancellable {
    let request = FileRequest(job)
    requests.push(request)
    return request
  }
}

/// A job in the file service's queue, and the handle that cancels it.
final class FileRequest: Cancellable, @unchecked Sendable {
  // Invariant: after init only the one worker touches it that popped the request.
  private var job: Job?
  private let cancelled = Atomic<Bool>(false)

  init(_ job: Job) { self.job = job }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Gives out the job, so that the request keeps no completion.
  func takeJob() -> Job? { job.take() }
}
