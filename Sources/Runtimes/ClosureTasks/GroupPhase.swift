import Synchronization

/// How far a group has come. Outside of it, because a generic class looks up its own types each time it is freed.
@usableFromInline
enum GroupPhase: UInt8, AtomicRepresentable {
  case open
  /// A part has decided the outcome: who is being written, or is written.
  case concluding, concluded
  /// All parts have ended, and none has decided.
  case finishing
  /// The whole was cancelled.
  case cancelled
}
