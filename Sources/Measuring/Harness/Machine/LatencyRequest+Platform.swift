extension LatencyRequest {
  /// Whether this system's kernel takes such requests at all.
  package static var isSupported: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
