import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct CoChannelTests {
  static let bufferings: [CoChannelBuffering] = [.rendezvous, .bounded(1), .bounded(3), .unlimited]

  /// Runs coroutines in the one order that a seed decides.
  private func together(
    seed: UInt64 = 0, _ bodies: [@Sendable () throws -> Void], then act: () -> Void = {}
  ) -> [CoFuture<Void>] {
    let scheduler = SeededScheduler(seed: seed)
    let futures = bodies.map { Coroutine.start(on: scheduler, $0) }
    scheduler.run()
    act()
    scheduler.run()
    return futures
  }

  @Test(arguments: bufferings, 0..<20 as Range<UInt64>)
  func elementsArriveOnceAndInOrder(buffering: CoChannelBuffering, seed: UInt64) {
    let channel = CoChannel<Int>(buffering)
    let log = Log<Int>()
    let futures = together(
      seed: seed,
      [
        {
          for number in 0..<10 { try channel.send(number) }
          channel.close()
        }, { for number in channel { log.append(number) } },
      ])
    #expect(log.entries == Array(0..<10))
    #expect(futures.allSatisfy { $0.isResolved })
  }

  /// As many sends as the buffer has room for return before anybody receives.
  @Test(
    arguments: [
      (.rendezvous, 0), (.bounded(1), 1), (.bounded(3), 3), (.conflated, 6), (.unlimited, 6),
    ] as [(CoChannelBuffering, Int)])
  func aSenderWaitsWhenTheBufferIsFull(buffering: CoChannelBuffering, room: Int) {
    let channel = CoChannel<Int>(buffering)
    let sent = Log<Int>()
    let sender = Coroutine.start {
      for number in 1...6 {
        try channel.send(number)
        sent.append(number)
      }
    }
    #expect(sent.entries.count == room)
    #expect(channel.count == (buffering == .conflated ? 1 : room))
    while channel.poll() != nil {}
    #expect(sent.entries.count == 6)
    #expect(sender.isResolved)
  }

  @Test func aSenderThatWaitsGoesOnAsSoonAsThereIsRoom() {
    let channel = CoChannel<Int>(.bounded(3))
    let sent = Log<Int>()
    for number in 1...5 {
      Coroutine.start {
        try channel.send(number)
        sent.append(number)
      }
    }
    #expect(sent.entries == [1, 2, 3])
    #expect(channel.poll() == 1)
    #expect(sent.entries == [1, 2, 3, 4])
    #expect(channel.count == 3)
    channel.cancel()
  }

  @Test func aConflatedChannelKeepsTheNewest() {
    let channel = CoChannel<Int>(.conflated)
    for number in 1...3 { channel.offer(number) }
    #expect(channel.poll() == 3)
    #expect(channel.poll() == nil)
  }

  @Test func offerAndPollNeverWait() {
    let channel = CoChannel<Int>(.bounded(2))
    #expect((1...3).map { channel.offer($0) } == [true, true, false])
    #expect((1...3).map { _ in channel.poll() } == [1, 2, nil])
    let rendezvous = CoChannel<Int>()
    #expect(!rendezvous.offer(1))
    let sender = Coroutine.start { try rendezvous.send(2) }
    #expect(rendezvous.poll() == 2)
    #expect(sender.isResolved)
    let receiver = Coroutine.start { try rendezvous.receive() }
    #expect(rendezvous.offer(3))
    #expect(receiver.isResolved)
  }

  @Test func whoWaitsIsServedInTheOrderOfArrival() {
    let channel = CoChannel<Int>(.bounded(1))
    let log = Log<[Int]>()
    for receiver in 0..<3 { Coroutine.start { log.append([receiver, try channel.receive()]) } }
    for number in 0..<3 { channel.offer(number) }
    #expect(log.entries == [[0, 0], [1, 1], [2, 2]])
    for number in 0..<4 { Coroutine.start { try channel.send(number) } }
    #expect((0..<5).map { _ in channel.poll() } == [0, 1, 2, 3, nil])
  }

  @Test func aClosedChannelIsDrainedAndThenEnds() async throws {
    let channel = CoChannel<Int>(.bounded(2))
    let log = Log<Int>()
    for number in 1...2 { channel.offer(number) }
    let sender = Coroutine.start { try channel.send(3) }
    channel.close()
    channel.close()
    await #expect(throws: CoChannelError.closed) { try await sender.value }
    #expect(channel.isClosed)
    #expect(!channel.offer(4))
    let receiver = Coroutine.start {
      for number in channel { log.append(number) }
      _ = try channel.receive()
    }
    await #expect(throws: CoChannelError.closed) { try await receiver.value }
    #expect(log.entries == [1, 2])
  }

  @Test(arguments: [CoChannelError.closed, .cancelled])
  func theEndReachesReceiversThatWait(end: CoChannelError) async {
    let channel = CoChannel<Int>()
    let receivers = (0..<3).map { _ in Coroutine.start { try channel.receive() } }
    if end == .closed { channel.close() } else { channel.cancel() }
    for receiver in receivers { await #expect(throws: end) { try await receiver.value } }
  }

  @Test func cancellingAChannelDropsWhatItHoldsAndEverybodyThrows() async {
    let census = Counter()
    let channel = CoChannel<Witness>(.bounded(2))
    for _ in 0..<2 { channel.offer(Witness(census)) }
    let sender = Coroutine.start { try channel.send(Witness(census)) }
    #expect(census.current == 3)
    channel.cancel()
    await #expect(throws: CoChannelError.cancelled) { try await sender.value }
    #expect(census.current == 0)
    #expect(channel.poll() == nil)
    let late = Coroutine.start { try channel.receive() }
    await #expect(throws: CoChannelError.cancelled) { _ = try await late.value }
  }

  @Test func aReceiverThatIsCancelledTakesNothingAlong() async {
    let channel = CoChannel<Int>(.bounded(1))
    let receivers = (0..<3).map { _ in Coroutine.start { try channel.receive() } }
    receivers[0].cancel()
    channel.offer(1)
    channel.offer(2)
    channel.offer(3)
    await #expect(throws: CancellationError.self) { try await receivers[0].value }
    #expect(receivers[1].isResolved && receivers[2].isResolved)
    #expect(channel.poll() == 3)
  }

  @Test func aSenderThatIsCancelledHasNotSent() async {
    let census = Counter()
    let channel = CoChannel<Witness>()
    let sender = Coroutine.start { try channel.send(Witness(census)) }
    #expect(census.current == 1)
    sender.cancel()
    await #expect(throws: CancellationError.self) { try await sender.value }
    #expect(channel.poll() == nil)
    #expect(census.current == 0)
  }

  @Test func aCancelledCoroutineThrowsBeforeItTakesPart() async {
    let channel = CoChannel<Int>(.bounded(2))
    let gate = CoPromise<Void>()
    let coroutine = Coroutine.start {
      try? gate.future.await()
      #expect(throws: CancellationError.self) { try channel.send(1) }
      #expect(throws: CancellationError.self) { try channel.receive() }
      for _ in channel { Issue.record("a cancelled coroutine receives nothing") }
    }
    channel.offer(7)
    coroutine.cancel()
    #expect(coroutine.isResolved)
    #expect(channel.poll() == 7)
    #expect(channel.poll() == nil)
  }

  /// Some of the receivers and senders are cancelled somewhere on the way: who was not told that it has sent has not.
  @Test(arguments: [.rendezvous, .bounded(1), .bounded(3)] as [CoChannelBuffering], 0..<60 as Range<UInt64>)
  func cancellationAnywhereLosesNoElement(buffering: CoChannelBuffering, seed: UInt64) {
    let channel = CoChannel<Int>(buffering)
    let scheduler = SeededScheduler(seed: seed)
    let sent = Log<Int>()
    let received = (0..<4).map { _ in Log<Int>() }
    let senders = (0..<4).map { sender in
      Coroutine.start(on: scheduler) {
        for number in 0..<5 {
          try channel.send(sender * 10 + number)
          sent.append(sender * 10 + number)
        }
      }
    }
    let receivers = received.map { log in
      Coroutine.start(on: scheduler) { for number in channel { log.append(number) } }
    }
    var random = SeededNumbers(seed: seed)
    for future in [senders[0], senders[1], receivers[0], receivers[1], receivers[2]] {
      for _ in 0..<Int.random(in: 0..<12, using: &random) { scheduler.runOne() }
      future.cancel()
    }
    scheduler.run()
    channel.close()
    scheduler.run()
    #expect(sent.entries.sorted() == received.flatMap(\.entries).sorted())
    for log in received {
      for sender in 0..<4 {
        let numbers = log.entries.filter { $0 / 10 == sender }
        #expect(numbers == numbers.sorted())
      }
    }
    #expect((senders + receivers).allSatisfy { $0.isResolved })
  }

  @Test func aMappedReceiverIsTheSameChannel() async throws {
    let channel = CoChannel<Int>(.unlimited)
    for number in 1...4 { channel.offer(number) }
    let texts = channel.map { $0 * 2 }.map { "\($0)" }
    #expect(texts.poll() == "2")
    let rest = Coroutine.start { () throws -> [String] in [try texts.receive()] + Array(texts) }
    channel.close()
    #expect(try await rest.value == ["4", "6", "8"])
  }

  private final class Curious: Sendable {
    let look: @Sendable () -> Void
    init(_ look: @escaping @Sendable () -> Void) { self.look = look }
    deinit { look() }
  }

  /// A lock held meanwhile would never be let go of.
  @Test func elementsMayUseTheChannelWhenTheyGo() {
    let channel = CoChannel<Curious>(.conflated)
    let looks = Log<Int>()
    let look: @Sendable () -> Void = { [weak channel] in looks.append(channel?.count ?? -1) }
    for _ in 0..<3 { channel.offer(Curious(look)) }
    _ = channel.poll()
    channel.offer(Curious(look))
    channel.cancel()
    #expect(looks.entries == [1, 1, 0, 0])
  }

  /// What is buffered comes first. Senders that wait, and those that come later, throw the cause, too.
  @Test(arguments: bufferings) func aCauseIsThrownInPlaceOfTheEnd(buffering: CoChannelBuffering) throws {
    let channel = CoChannel<Int>(buffering)
    let room = (0..<4).prefix { channel.offer($0) }.count
    let log = Log<String>()
    if buffering != .unlimited {
      Coroutine.start { do { try channel.send(9) } catch { log.append("\(error)") } }
    }
    channel.close(cause: Failure(code: 7))
    #expect(log.entries == (buffering == .unlimited ? [] : ["Failure(code: 7)"]))
    channel.close()
    channel.close(cause: Failure(code: 8))
    Coroutine.start {
      for _ in 0..<room { #expect(throws: Never.self) { try channel.receive() } }
      #expect(throws: Failure(code: 7)) { try channel.receive() }
      #expect(throws: Failure(code: 7)) { try channel.send(1) }
      #expect(throws: Failure(code: 7)) { try Coroutine.select(.send(1, to: channel)) }
      let isOver = try? Coroutine.select(.receive(from: channel) { $0 == nil })
      #expect(isOver == true)
      for _ in channel { Issue.record("it is closed") }
    }
  }

  @Test func aReceiverThatWaitsThrowsTheCauseAndAfterACancellationNobodyDoes() {
    let channel = CoChannel<Int>()
    let receiver = Coroutine.start { _ = try channel.receive() }
    channel.close(cause: Failure(code: 7))
    Coroutine.start { #expect(throws: Failure(code: 7)) { try receiver.await() } }
    channel.cancel()
    Coroutine.start { #expect(throws: CoChannelError.cancelled) { try channel.receive() } }
  }
}
