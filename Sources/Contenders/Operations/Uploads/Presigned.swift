import Foundation
import UploadScenario

extension OperationUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(
      on: service, limit: limit, qualityOfService: priority.qualityOfService, completion: completion)
    job.runUploads(post.media.map { PresignedOperation(of: job, $0) }, for: post)
    return job
  }
}

/// One media file's steps are one operation: the queue's limit counts operations, and of three that depend on each other it
/// would start the first of the next media file before the last of this one.
private final class PresignedOperation<Service: UploadService>: UploadOperation<Service>,
  @unchecked Sendable
{
  override func begin() {
    do {
      let prepared = try job.service.prepare(media)
      request(in: openGroup(), { job.service.issueURL(for: prepared, completion: $0) }) { url in
        switch url {
        case .success(let url): self.upload(prepared, to: url)
        case .failure(let error): self.end(with: .failure(error))
        }
      }
    } catch { end(with: .failure(error)) }
  }

  private func upload(_ prepared: PreparedMedia, to url: UploadURL) {
    request(in: openGroup(), { job.service.upload(prepared, to: url, completion: $0) }) { receipt in
      self.end(with: receipt)
    }
  }
}

extension PostPriority {
  /// Nil: what an operation queue has that is told nothing.
  fileprivate var qualityOfService: QualityOfService? {
    switch self {
    case .low: .utility
    case .normal: nil
    case .high: .userInitiated
    }
  }
}
