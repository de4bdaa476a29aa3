import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct CoChannelTests {
  /// As many sends as the buffer has room for return before a receive.
  @Test(arguments: [(.min, 0), (-1, 0), (0, 0), (1, 1), (3, 3), (.max, 6)])
  func `a sender waits when the buffer is full`(capacity: Int, room: Int) {
    let channel = CoChannel<Int>(capacity: capacity)
    let sent = Log<Int>()
    let sender = Coroutine.start {
      for number in 1...6 {
        try channel.awaitSend(number)
        sent.append(number)
      }
    }
    #expect(sent.entries.count == room)
    #expect(channel.count == room)
    while channel.poll() != nil {}
    #expect(sent.entries.count == 6)
    #expect(sender.isResolved)
  }

  @Test func `offer and poll never wait`() {
    let channel = CoChannel<Int>(capacity: 2)
    #expect((1...3).map { channel.offer($0) } == [true, true, false])
    #expect((1...3).map { _ in channel.poll() } == [1, 2, nil])
    let rendezvous = CoChannel<Int>(capacity: 0)
    #expect(!rendezvous.offer(1))
    let sender = Coroutine.start { try rendezvous.awaitSend(2) }
    #expect(rendezvous.poll() == 2)
    #expect(sender.isResolved)
    let receiver = Coroutine.start { try rendezvous.awaitReceive() }
    #expect(rendezvous.offer(3))
    #expect(receiver.isResolved)
  }

  @Test func `waiters are served first come, first served`() {
    let channel = CoChannel<Int>(capacity: 1)
    let log = Log<[Int]>()
    for receiver in 0..<3 { Coroutine.start { log.append([receiver, try channel.awaitReceive()]) } }
    for number in 0..<3 { channel.offer(number) }
    #expect(log.entries == [[0, 0], [1, 1], [2, 2]])
    for number in 0..<4 { Coroutine.start { try channel.awaitSend(number) } }
    #expect((0..<5).map { _ in channel.poll() } == [0, 1, 2, 3, nil])
  }

  @Test func `a closed channel is drained and then ends`() async throws {
    let channel = CoChannel<Int>(capacity: 2)
    let log = Log<Int>()
    for number in 1...2 { channel.offer(number) }
    let sender = Coroutine.start { try channel.awaitSend(3) }
    channel.close()
    channel.close()
    await #expect(throws: CoChannelError.closed) { try await sender.value }
    #expect(channel.isClosed)
    #expect(!channel.offer(4))
    let receiver = Coroutine.start {
      for number in channel { log.append(number) }
      _ = try channel.awaitReceive()
    }
    await #expect(throws: CoChannelError.closed) { try await receiver.value }
    #expect(log.entries == [1, 2])
  }

  @Test(arguments: [CoChannelError.closed, .canceled])
  func `the end reaches receivers that wait`(end: CoChannelError) async {
    let channel = CoChannel<Int>(capacity: 0)
    let receivers = (0..<3).map { _ in Coroutine.start { try channel.awaitReceive() } }
    if end == .closed { channel.close() } else { channel.cancel() }
    for receiver in receivers { await #expect(throws: end) { try await receiver.value } }
  }

  @Test func `cancelling a channel drops what it holds and all throw`() async {
    let census = Counter()
    let channel = CoChannel<Witness>(capacity: 2)
    for _ in 0..<2 { channel.offer(Witness(census)) }
    let sender = Coroutine.start { try channel.awaitSend(Witness(census)) }
    #expect(census.current == 3)
    channel.cancel()
    await #expect(throws: CoChannelError.canceled) { try await sender.value }
    #expect(census.current == 0)
    #expect(channel.poll() == nil)
    let late = Coroutine.start { try channel.awaitReceive() }
    await #expect(throws: CoChannelError.canceled) { _ = try await late.value }
  }

  @Test func `a cancelled receiver takes no element`() async {
    let channel = CoChannel<Int>(capacity: 1)
    let receivers = (0..<3).map { _ in Coroutine.start { try channel.awaitReceive() } }
    receivers[0].cancel()
    channel.offer(1)
    channel.offer(2)
    channel.offer(3)
    await #expect(throws: CancellationError.self) { try await receivers[0].value }
    #expect(receivers[1].isResolved && receivers[2].isResolved)
    #expect(channel.poll() == 3)
  }

  @Test func `a cancelled sender has not sent`() async {
    let census = Counter()
    let channel = CoChannel<Witness>(capacity: 0)
    let sender = Coroutine.start { try channel.awaitSend(Witness(census)) }
    #expect(census.current == 1)
    sender.cancel()
    await #expect(throws: CancellationError.self) { try await sender.value }
    #expect(channel.poll() == nil)
    #expect(census.current == 0)
  }

  @Test func `a cancelled coroutine throws before it takes part`() async {
    let channel = CoChannel<Int>(capacity: 2)
    let gate = CoPromise<Void>()
    let coroutine = Coroutine.start {
      try? gate.await()
      #expect(throws: CancellationError.self) { try channel.awaitSend(1) }
      #expect(throws: CancellationError.self) { try channel.awaitReceive() }
      for _ in channel { Issue.record("a cancelled coroutine receives nothing") }
    }
    channel.offer(7)
    coroutine.cancel()
    #expect(coroutine.isResolved)
    #expect(channel.poll() == 7)
    #expect(channel.poll() == nil)
  }

  /// A lock held meanwhile would deadlock.
  @Test func `elements may use the channel in their deinitialisers`() {
    let channel = CoChannel<Farewell>()
    let looks = Log<Int>()
    let look: @Sendable () -> Void = { [weak channel] in looks.append(channel?.count ?? -1) }
    for _ in 0..<3 { channel.offer(Farewell(look)) }
    _ = channel.poll()
    channel.cancel()
    #expect(looks.entries == [2, 0, 0])
  }

  /// A closed channel is drained first.
  @Test(arguments: [true, false])
  func `a throwing iterator distinguishes a cancelled from a closed channel`(isClosed: Bool) async throws {
    let channel = CoChannel<Int>()
    let log = Log<Int>()
    let receiver = Coroutine.start {
      var elements = channel.makeThrowingIterator()
      while let element = try elements.next() { log.append(element) }
    }
    channel.offer(1)
    if isClosed {
      #expect(channel.close())
      try await receiver.value
    } else {
      channel.cancel()
      await #expect(throws: CoChannelError.canceled) { try await receiver.value }
    }
    #expect(log.entries == [1])
    #expect(channel.isClosed && channel.isCanceled == !isClosed)
  }

  @Test func `a plain loop ends at both`() async throws {
    for isClosed in [true, false] {
      let channel = CoChannel<Int>()
      let receiver = Coroutine.start { Array(channel.makeIterator()) }
      channel.offer(1)
      if isClosed { channel.close() } else { channel.cancel() }
      #expect(try await receiver.value == [1])
    }
  }

  @Test func `a channel that is cancelled after it was closed is cancelled`() async {
    let channel = CoChannel<Int>()
    channel.offer(1)
    #expect(channel.close() && !channel.close())
    channel.cancel()
    #expect(!channel.close() && channel.isCanceled)
    await #expect(throws: CoChannelError.canceled) {
      try await Coroutine.start { try channel.awaitReceive() }.value
    }
  }

  @Test func `it calls back once when it ends or is released`() {
    let ended = Log<String>()
    var channel: CoChannel<Int>? = CoChannel()
    channel!.whenComplete { ended.append("closed") }
    channel!.close()
    channel!.cancel()
    channel!.whenComplete { ended.append("at once") }
    #expect(ended.entries == ["closed", "at once"])
    channel = CoChannel()
    channel!.whenComplete { ended.append("released") }
    channel = nil
    #expect(ended.entries.last == "released")
  }
}
