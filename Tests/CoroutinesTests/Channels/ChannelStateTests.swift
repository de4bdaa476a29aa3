import RuntimeSupport
import TestSupport
import Testing

@testable import Coroutines

/// The decisions of a channel, one after another, without a coroutine.
@Suite(.ownThread) struct ChannelStateTests {
  private enum Act: Sendable {
    case send(Int)
    case receive
    case close
    case cancel
    case letSenderWait
    case letReceiverWait
    case refill
  }

  private static let table: [(Int, [(Act, String)])] = [
    (
      0,
      [(.receive, "empty"), (.send(1), "full"), (.letSenderWait, "sender 0"), (.receive, "take over 0")]
    ),
    (0, [(.letReceiverWait, "receiver 0"), (.send(1), "hand over 0"), (.send(2), "full")]),
    (
      2,
      [
        (.send(1), "buffered"), (.send(2), "buffered"), (.send(3), "full"), (.letSenderWait, "sender 0"),
        (.receive, "1"), (.refill, "sender 0"), (.refill, "nobody"), (.receive, "2"), (.receive, "empty"),
      ]
    ),
    (
      2,
      [(.letReceiverWait, "receiver 0"), (.letReceiverWait, "receiver 1"), (.send(1), "hand over 0")]
    ),
    (-1, [(.send(1), "full"), (.letReceiverWait, "receiver 0"), (.send(1), "hand over 0")]),
    (.max, [(.send(1), "buffered"), (.send(2), "buffered"), (.receive, "1"), (.receive, "2")]),
    (
      2,
      [
        (.send(1), "buffered"), (.close, "news"), (.close, "old"), (.send(2), "closed"), (.receive, "1"),
        (.receive, "closed"),
      ]
    ),
    (
      .max,
      [
        (.send(1), "buffered"), (.cancel, "dropped 1"), (.cancel, "old"), (.receive, "canceled"),
        (.send(2), "canceled"),
      ]
    ),
    (
      .max, [(.send(1), "buffered"), (.close, "news"), (.cancel, "dropped 1"), (.receive, "canceled")]
    ),
  ]

  /// One that nothing will wake.
  private static var waiter: ChannelWaiter {
    let made = Guarded<Suspension?>(nil)
    Coroutine.start {
      try Coroutine.withContinuation(of: Void.self) { continuation in
        made.withLock { $0 = continuation.answer.suspension }
        continuation.resume()
      }
    }
    return ChannelWaiter(made.exchange(nil)!, slot: UnsafeMutableRawPointer(bitPattern: 64)!)
  }

  @Test(arguments: table.indices) func `each step follows from what was before`(row: Int) {
    let (capacity, acts) = Self.table[row]
    let waiters = UnsafeMutablePointer<ChannelWaiter>.allocate(capacity: acts.count)
    defer { waiters.deallocate() }
    var waiterCount = 0
    var state = ChannelState<Int>(capacity: capacity)
    for (act, expected) in acts {
      let seen: String
      switch act {
      case .send(let number): seen = describe(state.send(number), waiters)
      case .receive: seen = describe(state.receive(), waiters)
      case .close: seen = state.close() ? "news" : "old"
      case .cancel:
        var dropped = RingBuffer<Int>()
        let isNews = state.cancel(dropping: &dropped)
        seen = isNews ? "dropped \(dropped.count)" : "old"
      case .refill: seen = state.refill().map { "sender \($0 - waiters)" } ?? "nobody"
      case .letSenderWait, .letReceiverWait:
        let waiter = waiters + waiterCount
        waiter.initialize(to: Self.waiter)
        if case .letSenderWait = act {
          state.senders.append(waiter)
          seen = "sender \(waiterCount)"
        } else {
          state.receivers.append(waiter)
          seen = "receiver \(waiterCount)"
        }
        waiterCount += 1
      }
      #expect(seen == expected)
    }
  }

  private func describe(_ step: ChannelState<Int>.SendStep, _ waiters: UnsafeMutablePointer<ChannelWaiter>)
    -> String
  {
    switch step {
    case .buffered: "buffered"
    case .handOver(let receiver): "hand over \(receiver - waiters)"
    case .full: "full"
    case .ended(let error): "\(error)"
    }
  }

  private func describe(_ step: ChannelState<Int>.ReceiveStep, _ waiters: UnsafeMutablePointer<ChannelWaiter>)
    -> String
  {
    switch step {
    case .element(let element): "\(element)"
    case .takeOver(let sender): "take over \(sender - waiters)"
    case .empty: "empty"
    case .ended(let error): "\(error)"
    }
  }

  @Test func `waiters leave their list from anywhere and once`() {
    let waiters = UnsafeMutablePointer<ChannelWaiter>.allocate(capacity: 4)
    defer { waiters.deallocate() }
    var list = ChannelWaiterList()
    for index in 0..<4 {
      (waiters + index).initialize(to: Self.waiter)
      list.append(waiters + index)
    }
    for index in [1, 1, 3] { list.remove(waiters + index) }
    let order = [list.removeFirst(), list.removeFirst(), list.removeFirst()]
    #expect(order == [waiters, waiters + 2, nil])
  }

  @Test func `patience is lost when it is in vain and comes back`() {
    var yielding = ChannelYielding(isWorthwhile: true)
    let threads = [1, 2].map { UnsafeRawPointer(bitPattern: $0 * 64)! }
    func waitsUntilItGivesWay() -> Int {
      var count = 0
      while !yielding.givesWay() { count += 1 }
      return count
    }
    yielding.sendingThread = threads[0]
    yielding.receivingThread = threads[0]
    let onOneThread = yielding.givesWay()
    #expect(!onOneThread)
    yielding.receivingThread = threads[1]
    var waits: [Int] = []
    for isVain in [true, true, true, false, true] {
      waits.append(waitsUntilItGivesWay())
      yielding.gaveWay(inVain: isVain)
    }
    #expect(waits == [0, 1, 2, 4, 0])
  }
}
