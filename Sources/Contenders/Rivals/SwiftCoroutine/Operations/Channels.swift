#if SwiftCoroutine
  import Dispatch
  import SwiftCoroutine

  /// The operations on channels.
  enum Channels {
    static func oneThread(_ count: Int) -> Int {
      var sum = 0
      let channel = CoChannel<Int>(capacity: 100)
      Coroutine.start {
        for element in 0..<count { try channel.awaitSend(element) }
        channel.close()
      }
      Coroutine.start {
        for element in channel.makeIterator() { sum += element }
      }
      return sum
    }

    static func twoThreads(_ count: Int) -> Int {
      var sum = 0
      let channel = CoChannel<Int>(capacity: 100)
      DispatchQueue(label: "sender").startCoroutine {
        for element in 0..<count { try channel.awaitSend(element) }
        channel.close()
      }
      let received = DispatchSemaphore(value: 0)
      DispatchQueue(label: "receiver").startCoroutine {
        for element in channel.makeIterator() { sum += element }
        received.signal()
      }
      received.wait()
      return sum
    }
  }
#endif
