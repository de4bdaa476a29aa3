/// How deep the calling thread is in releasing things inside things, and what it puts off.
///
/// The depth is the thread's: a deinit below it must not move to another thread, as a suspending coroutine would.
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
    let thread = current
    guard thread.pointee.depth < limit else { return thread.pointee.later.append(Holder(held: held())) }
    thread.pointee.depth += 1
    release()
    if thread.pointee.depth == 1 {
      while let next = thread.pointee.later.popLast() { withExtendedLifetime(next) {} }
    }
    thread.pointee.depth -= 1
  }
}
