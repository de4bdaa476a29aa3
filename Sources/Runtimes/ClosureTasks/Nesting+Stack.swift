import CStackLocals

extension Nesting {
  /// That of the running stack, a thread's or a coroutine's: made on first use and freed with the stack.
  static var current: UnsafeMutablePointer<Nesting> {
    if let address = stack_local(CInt(stack_local_nesting)) {
      return address.assumingMemoryBound(to: Nesting.self)
    }
    let made = UnsafeMutablePointer<Nesting>.allocate(capacity: 1)
    made.initialize(to: Nesting())
    stack_local_set(CInt(stack_local_nesting), made) { address in
      let nesting = address!.assumingMemoryBound(to: Nesting.self)
      nesting.deinitialize(count: 1)
      nesting.deallocate()
    }
    return made
  }
}
