import CStackLocals

/// How deep the running stack is in releasing things inside things, and what it puts off.
package struct NestedRelease {
  /// How many releases go on inside each other before the rest is put off.
  package static let limit = 16

  private var depth = 0
  private var later: [Holder] = []

  /// Something that is released with its holder.
  struct Holder {
    let held: Any
  }

  /// Runs `release` here and now, or puts off what `held` returns until the outermost release is done.
  package static func run(_ release: () -> Void, orHold held: () -> Any) {
    let stack = current
    guard stack.pointee.depth < limit else { return stack.pointee.later.append(Holder(held: held())) }
    stack.pointee.depth += 1
    release()
    if stack.pointee.depth == 1 {
      while let next = stack.pointee.later.popLast() { withExtendedLifetime(next) {} }
    }
    stack.pointee.depth -= 1
  }
}

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
