import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// A service that copies real bytes into a folder: each media file an object, each post a manifest.
///
/// An object appears under its name only when it is whole. A failed upload says which path failed and what to do; a
/// cancelled one leaves nothing behind. The work is done by a few raw threads, since a disk gains nothing from more;
/// once the last reference is gone, and that to all who share the threads, they finish what was asked and end.
final class FileService: JobService {
  let ledger: Ledger
  let account: Account
  private let worker: FileWorker
  private let requests: WorkQueue<FileRequest>
  private let lease: ThreadLease

  /// A service for each account, all writing into one store with the same few threads.
  ///
  /// Opens the store, and makes it if it is missing. `subdirectory` is one plain name below `store`; nil: the store itself.
  static func sharing(
    _ accounts: [Account], store: String, subdirectory: String? = nil, syncsToDisk: Bool, threads: Int = 4
  ) throws(StoreError) -> [FileService] {
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
    let request = Request.upload(media)
    return try worker.workBlocking(request, attempt: ledger.requestStarted(request)).get()
  }

  func accept(_ job: Job) -> any Cancellable {
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
