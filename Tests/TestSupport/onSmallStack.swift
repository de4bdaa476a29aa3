import Foundation

/// Runs the body on a thread with a stack as small as those of Dispatch, or another, and returns when it is done.
package func onSmallStack(byteCount: Int = 512 << 10, _ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = byteCount
  thread.start()
  done.wait()
}
