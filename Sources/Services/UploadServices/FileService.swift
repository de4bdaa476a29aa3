import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// A service that copies real bytes into a folder: each media an object, each post a manifest.
///
/// An object appears under its name only when it is whole. A failed upload says which path failed and what to do; a
/// cancelled one leaves nothing behind. The work is done by a few raw threads, since a disk gains nothing from more;
/// once the last reference is gone, and that to all who share the threads, they finish what was asked and end.
public final class FileService: UploadService {
  private let requests: WorkQueue<FileRequest>
  private let ledger: Ledger
  private let worker: FileWorker
  private let local: LocalWork
  private let lease: ThreadLease

  /// Opens the store, and makes it if it is missing.
  ///
  /// `subdirectory` is one plain name below `store`; nil: the store itself. Throws `StoreError`.
  public convenience init(
    ledger: Ledger, faults: Faults, store: String, subdirectory: String? = nil, syncsToDisk: Bool,
    threads: Int = 4, preparePasses: Int = 1
  ) throws {
    let worker = FileWorker(
      ledger: ledger, faults: faults, store: try ObjectStore(root: store, subdirectory: subdirectory),
      syncsToDisk: syncsToDisk)
    self.init(
      worker, LocalWork(ledger: ledger, preparePasses: preparePasses), on: Self.startThreads(threads))
  }

  /// A service for each ledger, all writing into one store with the same few threads.
  public static func sharing(
    ledgers: [Ledger], faults: Faults, store: String, subdirectory: String? = nil, syncsToDisk: Bool,
    threads: Int = 4, preparePasses: Int = 1
  ) throws -> [FileService] {
    let store = try ObjectStore(root: store, subdirectory: subdirectory)
    let started = startThreads(threads)
    return ledgers.map {
      FileService(
        FileWorker(ledger: $0, faults: faults, store: store, syncsToDisk: syncsToDisk),
        LocalWork(ledger: $0, preparePasses: preparePasses), on: started)
    }
  }

  private init(
    _ worker: FileWorker, _ local: LocalWork,
    on threads: (requests: WorkQueue<FileRequest>, lease: ThreadLease)
  ) {
    self.worker = worker
    self.local = local
    ledger = worker.ledger
    (requests, lease) = threads
  }

  private static func startThreads(_ count: Int) -> (WorkQueue<FileRequest>, ThreadLease) {
    let requests = WorkQueue<FileRequest>()
    for number in 1...max(1, count) {
      _ = RawThread(name: "file-service-\(number)") { FileWorker.run(requests) }
    }
    return (requests, ThreadLease { requests.close() })
  }

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
    ledger.postRequested()
    return accept(.post(post, receipts, completion))
  }

  public func uploadBlocking(_ media: Media) throws -> Receipt {
    let request = Request.upload(media)
    return try worker.workBlocking(request, attempt: ledger.requestStarted(request)).get()
  }

  public func prepare(_ media: Media) throws -> PreparedMedia { try local.prepare(media) }

  public func chunks(of media: Media) throws -> ChunkReader { try local.chunks(of: media) }

  private func accept(_ job: Job) -> any Cancellable {
    let request = FileRequest(job, worker)
    requests.push(request)
    return request
  }
}

/// A job in the file service's queue, and the handle that cancels it.
final class FileRequest: Cancellable, @unchecked Sendable {
  // Invariant: after init only the one worker touches it that popped the request.
  private var job: Job?
  let worker: FileWorker
  private let cancelled = Atomic<Bool>(false)

  init(_ job: Job, _ worker: FileWorker) {
    self.job = job
    self.worker = worker
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Gives out the job, so that the request keeps no completion.
  func takeJob() -> Job? { job.take() }
}
