#if canImport(Glibc)
  import Glibc

  /// Waits until a file is on the disk itself; 0 if it is.
  func syncToDisk(_ descriptor: Int32) -> Int32 { fsync(descriptor) }
#endif
