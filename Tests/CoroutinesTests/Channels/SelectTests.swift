import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct SelectTests {
  private func channels(_ count: Int, _ buffering: CoChannelBuffering = .bounded(10)) -> [CoChannel<Int>] {
    (0..<count).map { _ in CoChannel(buffering) }
  }

  private func receive(_ channels: [CoChannel<Int>]) -> [SelectClause<[Int?]>] {
    channels.enumerated().map { index, channel in .receive(from: channel) { [index, $0] } }
  }

  @Test func theOneThatIsReadyIsCarriedOutAndNoOther() async throws {
    let all = channels(3)
    all[1].offer(7)
    let seen = Coroutine.start { try Coroutine.select(self.receive(all)) }
    #expect(try await seen.value == [1, 7])
    #expect(all.map(\.count) == [0, 0, 0])
  }

  /// Behind idle ones, too. Of 4 000 fair draws between two, 1 800 to 2 200 fall to one but in one run of 10⁹.
  @Test(arguments: [0, 1, 7]) func eachThatIsReadyHasTheSameChance(idle: Int) async throws {
    let all = channels(idle + 2)
    let counts = try await Coroutine.start {
      var counts = [Int](repeating: 0, count: all.count)
      for _ in 0..<4_000 {
        for channel in all[idle...] where channel.count == 0 { channel.offer(1) }
        counts[try Coroutine.select(self.receive(all))[0]!] += 1
      }
      return counts
    }.value
    #expect(counts[..<idle].allSatisfy { $0 == 0 })
    #expect((1_800...2_200).contains(counts[idle]), "\(counts)")
  }

  @Test func ofSeveralThatAreReadyOneIsCarriedOut() async throws {
    let all = channels(3)
    for channel in all { channel.offer(1) }
    _ = try await Coroutine.start { try Coroutine.select(self.receive(all)) }.value
    #expect(all.map(\.count).reduce(0, +) == 2)
  }

  @Test(arguments: [.rendezvous, .bounded(1)] as [CoChannelBuffering])
  func itWaitsForTheFirstAndLeavesTheOthers(buffering: CoChannelBuffering) async throws {
    let all = channels(3, buffering)
    let selection = Coroutine.start { try Coroutine.select(self.receive(all)) }
    #expect(!selection.isResolved)
    #expect(all[2].offer(5))
    #expect(try await selection.value == [2, 5])
    // Nobody waits for these any more.
    #expect(all[0].offer(1) == (buffering != .rendezvous))
    #expect(all[1].offer(1) == (buffering != .rendezvous))
  }

  @Test func aSendIsCarriedOutWhenSomebodyReceives() async throws {
    let (a, b) = (CoChannel<Int>(), CoChannel<String>())
    let selection = Coroutine.start {
      try Coroutine.select(.send(1, to: a) { "a" }, .send("x", to: b) { "b" })
    }
    #expect(b.poll() == "x")
    #expect(try await selection.value == "b")
    #expect(a.poll() == nil)
  }

  @Test func withADefaultItDoesNotWait() async throws {
    let channel = CoChannel<Int>()
    let value = try await Coroutine.start {
      try Coroutine.select(.receive(from: channel) { $0 ?? -1 }, .default { 0 })
    }.value
    #expect(value == 0)
    #expect(!channel.offer(1))
  }

  @Test func aTimeoutEndsItAtItsTimeAndNotBefore() async throws {
    let channel = CoChannel<Int>()
    let timer = ManualCoTimer()
    let selection = Coroutine.start {
      try Coroutine.select(
        .receive(from: channel) { "\($0 ?? -1)" }, .timeout(.seconds(2), on: timer) { "late" },
        .timeout(.seconds(3), on: timer) { "later" })
    }
    timer.advance(by: .seconds(1))
    #expect(!selection.isResolved)
    timer.advance(by: .seconds(1))
    #expect(try await selection.value == "late")
    #expect(!channel.offer(1))
    #expect(timer.pendingCount == 0)
  }

  @Test func aTimeoutThatIsNotNeededIsTakenBack() async throws {
    let channel = CoChannel<Int>()
    let timer = ManualCoTimer()
    let selection = Coroutine.start {
      try Coroutine.select(.receive(from: channel) { $0 }, .timeout(.seconds(2), on: timer) { -1 })
    }
    #expect(timer.pendingCount == 1)
    channel.offer(4)
    #expect(try await selection.value == 4)
    #expect(timer.pendingCount == 0)
  }

  @Test func anEndedChannelIsReceivedAsNilAndNotSentTo() async throws {
    let (open, closed) = (CoChannel<Int>(), CoChannel<Int>())
    closed.close()
    let received = Coroutine.start { try Coroutine.select(self.receive([open, closed])) }
    #expect(try await received.value == [1, nil])
    let sent = Coroutine.start { try Coroutine.select(.receive(from: open) { _ in }, .send(1, to: closed)) }
    await #expect(throws: CoChannelError.closed) { try await sent.value }
  }

  @Test func theEndOfAChannelReachesASelectThatWaits() async throws {
    let (a, b) = (CoChannel<Int>(), CoChannel<Int>())
    let receiver = Coroutine.start { try Coroutine.select(self.receive([a, b])) }
    b.close()
    #expect(try await receiver.value == [1, nil])
    let census = Counter()
    let c = CoChannel<Witness>()
    let sender = Coroutine.start { try Coroutine.select(.send(Witness(census), to: c)) }
    #expect(census.current == 1)
    c.cancel()
    await #expect(throws: CoChannelError.cancelled) { try await sender.value }
    #expect(census.current == 0)
  }

  @Test func cancellationRemovesItFromAllChannels() async {
    let census = Counter()
    let (a, b) = (CoChannel<Int>(), CoChannel<Witness>())
    let selection = Coroutine.start {
      try Coroutine.select(.receive(from: a) { _ in }, .send(Witness(census), to: b))
    }
    selection.cancel()
    await #expect(throws: CancellationError.self) { try await selection.value }
    #expect(!a.offer(1))
    #expect(b.poll() == nil)
    #expect(census.current == 0)
  }

  @Test func twoSelectsMeetOnAChannel() async throws {
    let (a, b) = (CoChannel<Int>(), CoChannel<Int>())
    let sender = Coroutine.start { try Coroutine.select(.send(1, to: a) { "a" }, .send(2, to: b) { "b" }) }
    let receiver = Coroutine.start {
      try Coroutine.select(.receive(from: b) { $0 }, .receive(from: a) { $0 })
    }
    let pair = (try await sender.value, try await receiver.value)
    #expect(pair == ("a", 1) || pair == ("b", 2))
  }

  @Test func itMayNameAChannelTwice() async throws {
    let channel = CoChannel<Int>()
    let selection = Coroutine.start {
      try Coroutine.select(
        .receive(from: channel) { "received \($0 ?? -1)" }, .send(1, to: channel) { "sent" })
    }
    // It does not meet itself.
    #expect(!selection.isResolved)
    #expect(channel.offer(2))
    #expect(try await selection.value == "received 2")
    #expect(channel.poll() == nil)
  }

  @Test func noClauseIsStarved() async throws {
    let all = channels(3, .unlimited)
    let counts = try await Coroutine.start {
      var counts = [0, 0, 0]
      // It takes a place, but no turn.
      let never = SelectClause<[Int?]>.timeout(.seconds(1), on: ManualCoTimer()) { [] }
      for _ in 0..<300 {
        for channel in all { channel.offer(1) }
        counts[try Coroutine.select([never] + self.receive(all))[0] ?? 0] += 1
      }
      return counts
    }.value
    #expect(counts.allSatisfy { (60...140).contains($0) })
  }
}
