#if canImport(Darwin)
  import Darwin

  /// Waits until a file is on the disk itself; 0 if it is. `fsync` alone stops at the drive's cache here.
  func syncToDisk(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_FULLFSYNC) }
#endif
