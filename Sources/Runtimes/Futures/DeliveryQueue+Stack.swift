import CStackLocals

extension DeliveryQueue {
  /// That of the running stack, a thread's or a coroutine's: made on first use and freed with the stack.
  static var current: UnsafeMutablePointer<DeliveryQueue> {
    if let address = stack_local(CInt(stack_local_deliveries)) {
      return address.assumingMemoryBound(to: DeliveryQueue.self)
    }
    let made = UnsafeMutablePointer<DeliveryQueue>.allocate(capacity: 1)
    made.initialize(to: DeliveryQueue())
    stack_local_set(CInt(stack_local_deliveries), made) { address in
      let queue = address!.assumingMemoryBound(to: DeliveryQueue.self)
      queue.pointee.deallocate()
      queue.deinitialize(count: 1)
      queue.deallocate()
    }
    return made
  }
}
