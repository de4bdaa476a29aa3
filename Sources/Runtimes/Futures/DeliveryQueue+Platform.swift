#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension DeliveryQueue {
  /// The queue of the calling thread, made on first use and freed when the thread ends.
  ///
  /// The pointer must not be kept across a callback that could move to another thread.
  static var current: UnsafeMutablePointer<DeliveryQueue> {
    if let address = pthread_getspecific(key) {
      return address.assumingMemoryBound(to: DeliveryQueue.self)
    }
    let queue = UnsafeMutablePointer<DeliveryQueue>.allocate(capacity: 1)
    queue.initialize(to: DeliveryQueue())
    let status = pthread_setspecific(key, queue)
    precondition(status == 0, "pthread_setspecific failed with \(status): no memory for a delivery queue")
    return queue
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { address in
      let raw: UnsafeMutableRawPointer? = address
      let queue = raw!.assumingMemoryBound(to: DeliveryQueue.self)
      queue.pointee.deallocate()
      queue.deinitialize(count: 1)
      queue.deallocate()
    }
    precondition(status == 0, "pthread_key_create failed with \(status): too many thread-specific keys")
    return key
  }()
}
