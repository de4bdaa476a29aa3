#if canImport(Darwin)
  /// A connection with more to read than any honest answer leaves unread; the session cancels its task by itself.
  enum FloodedConnection {
    static func endAll(toPorts ports: Set<UInt16>) {}
  }
#endif
