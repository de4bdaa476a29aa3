/// A contender of some patterns only: another common spelling of an idiom, or one of your own.
///
/// State `patterns`, and write those. The others fail with `PatternNotWritten`; nobody asks for them.
public protocol PartialContender: Contender {}

/// A partial contender was asked for a pattern that it is not measured in.
public struct PatternNotWritten: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the contender that was asked.
  public let contender: String

  public var description: String { "\(contender) does not write this pattern" }
}

extension PartialContender {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  /// No beat at all: whoever is measured in `blocking` writes its own.
  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    NothingToCancel()
  }

  private func refuse(_ completion: Completion) -> any Cancellable {
    completion(.failure(PatternNotWritten(contender: name)))
    return NothingToCancel()
  }
}

/// The handle of what is over before it began.
final class NothingToCancel: Cancellable {
  func cancel() {}
}
