import RuntimeTiming

/// What is behind an erased publisher, dropped without a call for each of a chain's operators inside each other.
///
/// Dropping is the only thing that a chain of erased publishers does as a whole and that nobody waits for, so it
/// can be put off: beyond `NestedRelease.limit` publishers inside each other the rest is dropped when those are
/// done. Subscribing and sending can not: an operator may rely on its downstream having taken a signal when the
/// call returns, as the serial order of a fan-in does.
///
/// `@unchecked Sendable`: `attach` is written by init and deinit only.
@usableFromInline
final class ErasedPublisher<Output: Sendable, Failure: Error>: @unchecked Sendable {
  @usableFromInline typealias Attach = @Sendable (AnySubscriber<Output, Failure>) -> Void

  @usableFromInline @exclusivity(unchecked) var attach: Attach?

  @inlinable init(_ attach: @escaping Attach) { self.attach = attach }

  deinit {
    NestedRelease.run {
      attach = nil
    } orHold: {
      attach.take() as Any
    }
  }
}
