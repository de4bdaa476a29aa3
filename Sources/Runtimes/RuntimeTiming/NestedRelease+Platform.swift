#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension NestedRelease {
  /// That of the calling thread, made on first use and freed when the thread ends.
  static var current: UnsafeMutablePointer<NestedRelease> {
    if let address = pthread_getspecific(key) { return address.assumingMemoryBound(to: NestedRelease.self) }
    let made = UnsafeMutablePointer<NestedRelease>.allocate(capacity: 1)
    made.initialize(to: NestedRelease())
    let status = pthread_setspecific(key, made)
    precondition(status == 0, "pthread_setspecific failed with \(status): no memory for a thread's variable")
    return made
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { address in
      let raw: UnsafeMutableRawPointer? = address
      guard let release = raw?.assumingMemoryBound(to: NestedRelease.self) else { return }
      release.deinitialize(count: 1)
      release.deallocate()
    }
    precondition(status == 0, "pthread_key_create failed with \(status): too many thread-specific keys")
    return key
  }()
}
