import Dispatch
import Foundation
import UploadScenario

extension CallbackUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let chains = Chains(count: post.media.count, limit: limit ?? .max, qos: .init(priority))
    let job = CallbackJob(
      post, service: service, places: post.media.count, progress: chains, completion: completion)
    if post.media.isEmpty { job.step { _ in .createPost } }
    for _ in 0..<chains.mostWorkers { job.addWorker() }
    return job
  }
}

/// The media on their way: each is prepared by a worker, then belongs to its two requests.
private struct Chains: UploadProgress {
  private static let cores = ProcessInfo.processInfo.activeProcessorCount

  let mostWorkers: Int
  let qos: DispatchQoS.QoSClass
  private let limit: Int
  var receipts: Receipts
  private var started = 0
  private var workers = 0

  init(count: Int, limit: Int, qos: DispatchQoS.QoSClass) {
    self.limit = limit
    self.qos = qos
    receipts = Receipts(count: count)
    // Preparing is work for the processor: more threads than cores gain nothing.
    mostWorkers = min(count, limit, Self.cores)
  }

  private var canStart: Bool {
    started < receipts.count && started - (receipts.count - receipts.missing) < limit
  }

  /// The queue for one more worker; nil if it would have nothing to do.
  mutating func addWorker() -> DispatchQueue? {
    guard workers < mostWorkers, canStart else { return nil }
    workers += 1
    return .global(qos: qos)
  }

  /// The next media file for a worker; it ends if there is none, or no place for it.
  mutating func startNext() -> Int? {
    guard canStart else {
      workers -= 1
      return nil
    }
    defer { started += 1 }
    return started
  }
}

extension CallbackJob where Progress == Chains {
  fileprivate func addWorker() {
    guard let queue = change({ $0.addWorker() }) ?? nil else { return }
    queue.async { self.work { self.prepareMedia() } }
  }

  private func prepareMedia() {
    while let index = change({ $0.startNext() }) ?? nil {
      do {
        let prepared = try service.prepare(post.media[index])
        request(at: index, { service.issueURL(for: prepared, completion: $0) }) { _, result in
          if case .failure(let error) = result { .fail(error) } else { .goOn }
        } then: { result in
          if case .success(let url) = result { self.upload(prepared, to: url) }
        }
      } catch { fail(error) }
    }
  }

  private func upload(_ prepared: PreparedMedia, to url: UploadURL) {
    let index = prepared.media.index
    request(at: index, { service.upload(prepared, to: url, completion: $0) }) { chains, receipt in
      chains.receipts.add(receipt, at: index) ? .createPost : .goOn
    } then: {
      self.addWorker()
    }
  }
}
