/// What a run can be waiting for: another run, a group of them, or a while.
///
/// `@unchecked Sendable`: it has no state; each subclass says why it is safe.
public class TaskPart: @unchecked Sendable {
  @inlinable
  init() {}

  /// Cancels this part for runs that have ended by cancellation and wait to say so.
  /// - Returns: what this part is waiting for in turn, which is to be cancelled next; nil if that is nothing, or
  ///   if the part has taken over telling.
  func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? { nil }
}
