import CStackLocals

extension NestedRelease {
  /// That of the running stack, a thread's or a coroutine's: made on first use and freed with the stack.
  static var current: UnsafeMutablePointer<NestedRelease> {
    if let address = stack_local(CInt(stack_local_releases)) {
      return address.assumingMemoryBound(to: NestedRelease.self)
    }
    let made = UnsafeMutablePointer<NestedRelease>.allocate(capacity: 1)
    made.initialize(to: NestedRelease())
    stack_local_set(CInt(stack_local_releases), made) { address in
      let release = address!.assumingMemoryBound(to: NestedRelease.self)
      release.deinitialize(count: 1)
      release.deallocate()
    }
    return made
  }
}
