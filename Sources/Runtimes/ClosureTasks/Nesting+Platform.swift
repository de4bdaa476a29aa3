#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Nesting {
  /// The calling thread's, made on first use and freed when the thread ends.
  ///
  /// The pointer must not be kept across a call that could move to another thread.
  static var current: UnsafeMutablePointer<Nesting> {
    if let address = pthread_getspecific(key) {
      return address.assumingMemoryBound(to: Nesting.self)
    }
    let nesting = UnsafeMutablePointer<Nesting>.allocate(capacity: 1)
    nesting.initialize(to: Nesting())
    let status = pthread_setspecific(key, nesting)
    precondition(status == 0, "pthread_setspecific failed with \(status): no memory for a thread's nesting")
    return nesting
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { address in
      let raw: UnsafeMutableRawPointer? = address
      let nesting = raw!.assumingMemoryBound(to: Nesting.self)
      nesting.deinitialize(count: 1)
      nesting.deallocate()
    }
    precondition(status == 0, "pthread_key_create failed with \(status): too many thread-specific keys")
    return key
  }()
}
