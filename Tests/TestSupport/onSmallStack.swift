import Foundation

/// Runs the body on a thread with a stack as small as those of Dispatch, and returns when it is done.
package func onSmallStack(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = 512 << 10
  thread.start()
  done.wait()
}
