/// Why a channel takes or gives nothing more.
public enum CoChannelError: Error, Sendable, Hashable {
  /// It was closed, and what it had buffered has been received.
  case closed
  /// It was cancelled, and what it had buffered was dropped.
  case cancelled
}
