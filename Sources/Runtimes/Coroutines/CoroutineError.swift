/// What can go wrong with waiting.
public enum CoroutineError: Error, Sendable, Hashable {
  /// What was awaited let go of its completion without calling it: it will never come.
  case dropped
  /// It took longer than it was given.
  case timedOut
  /// The system gives no memory or mapping for another stack: the coroutine has not begun. On Linux before 6.13 the
  /// kernel's limit on mappings, `vm.max_map_count`, comes to some 32 000 coroutines at once.
  case outOfStacks
}
