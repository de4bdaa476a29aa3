import Exploration
import TestSupport

extension PlantedBug {
  static let ofSessions: [PlantedBug] = [
    PlantedBug("tuist/tuist#10276: two refreshes with one token wipe the credentials", "Wrong") {
      _, isWrong in
      let session = Session()
      async let one: Void = session.refresh(isWrong: isWrong)
      async let other: Void = session.refresh(isWrong: isWrong)
      _ = await (one, other)
      guard await session.token != nil else { throw Wrong() }
    },
    PlantedBug("okta/okta-mobile-swift#170: each caller of a refresh is answered more than once", "Wrong") {
      _, isWrong in
      let replies = [Reply(), Reply()]
      let refresh = Refresh()
      await withTaskGroup(of: Void.self) { group in
        for reply in replies {
          group.addTask {
            await refresh.ask(reply, isWrong: isWrong)
            _ = await reply.wait()
          }
        }
      }
      guard replies.allSatisfy({ $0.count == 1 }) else { throw Wrong() }
    },
    PlantedBug("supabase/supabase-swift#1374: a refresh outlives its session", "Wrong") { _, isWrong in
      let session = Account()
      async let refreshed: Void = session.refresh(isWrong: isWrong)
      async let signedOut: Void = session.signOut()
      _ = await (refreshed, signedOut)
      guard await session.user == nil else { throw Wrong() }
    },
    PlantedBug("vapor/async-kit#67: n + 1 connections of n, each behind the one before", "waits forever") {
      _, isWrong in
      let pool = Connections(count: 1)
      @Sendable func request(_ depth: Int) async {
        _ = await pool.take()
        if !isWrong { await pool.give() }
        if depth > 0 { await request(depth - 1) }
        if isWrong { await pool.give() }
      }
      await request(1)
    },
    PlantedBug("vapor/async-kit#101: a connection goes to a request that has timed out", "waits forever") {
      exploration, isWrong in
      let pool = Connections(count: 1)
      _ = await pool.take()
      let late = Task {
        async let timeout: Void? = {
          try? await exploration.clock.sleep(for: .seconds(10))
          await pool.expire(isRemoved: !isWrong)
        }()
        if await pool.take(), !isWrong { await pool.give() }
        _ = await timeout
      }
      await late.value
      await pool.give()
      _ = await pool.take()
    },
    PlantedBug(
      "repoprompt/repoprompt-ce#724: a cancelled request keeps its place in the queue", "waits forever"
    ) {
      _, isWrong in
      let pool = Connections(count: 1)
      _ = await pool.take()
      let request = Task {
        if isWrong { return await pool.take() }
        return await withTaskCancellationHandler {
          await pool.take()
        } onCancel: {
          Task { await pool.expire(isRemoved: true) }
        }
      }
      request.cancel()
      if await request.value { await pool.give() }
    },
    PlantedBug("apple/swift-distributed-actors#1066: a task for each call loses their order", "Wrong") {
      _, isWrong in
      let log = Entries()
      if isWrong {
        let calls = (0..<2).map { number in Task { await log.append(number) } }
        for call in calls { await call.value }
      } else {
        for number in 0..<2 { await log.append(number) }
      }
      guard await log.numbers == [0, 1] else { throw Wrong() }
    },
    PlantedBug("kean/Nuke#70: a late cancel lets an older image through", "Wrong") { _, isWrong in
      let view = Entries()
      let first = Task {
        await Task.yield()
        if !Task.isCancelled { await view.append(1) }
      }
      if isWrong { Task { first.cancel() } } else { first.cancel() }
      await view.append(2)
      await first.value
      guard await view.numbers.last == 2 else { throw Wrong() }
    },
    PlantedBug("klaviyo/klaviyo-swift-sdk#675: the timer sends what an answer has acknowledged", "Wrong") {
      exploration, isWrong in
      let request = Request()
      async let timer: Void? = {
        try? await exploration.clock.sleep(for: .seconds(1))
        await request.send()
      }()
      async let answer: Void = request.answer(isWrong: isWrong)
      _ = await (timer, answer)
      guard await request.acknowledged <= 1 else { throw Wrong() }
    },
    PlantedBug("cloudcaptainai/helium-swift#269: a timeout waits for what it gives up", "Wrong") {
      exploration, isWrong in
      let cached = Task { _ = try? await exploration.clock.sleep(for: .seconds(60)) }
      let start = exploration.clock.now
      let reply = Reply()
      if isWrong {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await cached.value }
          group.addTask { try? await exploration.clock.sleep(for: .seconds(3)) }
          await group.next()
          group.cancelAll()
        }
      } else {
        Task {
          await cached.value
          reply.resume(true)
        }
        let timer = Task {
          try? await exploration.clock.sleep(for: .seconds(3))
          reply.resume(false)
        }
        _ = await reply.wait()
        timer.cancel()
      }
      // The timeout may be late, but must not wait for the abandoned task.
      guard isWrong ? start.duration(to: exploration.clock.now) < .seconds(60) : true else { throw Wrong() }
    },
  ]
}

private actor Session {
  private(set) var token: Int? = 1
  private var revoked: Set<Int> = []
  private var refreshing: Task<Void, Never>?

  func refresh(isWrong: Bool) async {
    if isWrong { return await exchange() }
    if refreshing == nil { refreshing = Task { await exchange() } }
    await refreshing?.value
  }

  private func exchange() async {
    guard let old = token else { return }
    await Task.yield()
    // The server accepts a token once; the second gets a 401, which wipes the credentials.
    if revoked.insert(old).inserted { token = old + 1 } else { token = nil }
  }
}

private actor Refresh {
  private var waiting: [Reply] = []
  private var isRunning = false

  func ask(_ reply: Reply, isWrong: Bool) async {
    waiting.append(reply)
    if isRunning, !isWrong { return }
    isRunning = true
    await Task.yield()
    for one in waiting { one.resume(true) }
    if !isWrong {
      waiting = []
      isRunning = false
    }
  }
}

private actor Account {
  private(set) var user: String? = "user"

  func refresh(isWrong: Bool) async {
    guard let user else { return }
    await Task.yield()
    if isWrong || self.user != nil { self.user = user }
  }
  func signOut() { user = nil }
}

private actor Connections {
  private var free: Int
  private var waiting: [CheckedContinuation<Bool, Never>] = []
  private var expired = 0
  init(count: Int) { free = count }

  /// Returns false if it has timed out.
  func take() async -> Bool {
    if free > 0 {
      free -= 1
      return true
    }
    if expired > 0 {
      expired -= 1
      return false
    }
    return await withCheckedContinuation { waiting.append($0) }
  }
  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume(returning: true) }
  }
  /// Times out the first in line.
  func expire(isRemoved: Bool) {
    guard isRemoved else { return }
    if waiting.isEmpty { expired += 1 } else { waiting.removeFirst().resume(returning: false) }
  }
}

actor Entries {
  private(set) var numbers: [Int] = []
  func append(_ number: Int) { numbers.append(number) }
}

private actor Request {
  private var isOver = false
  private(set) var sent = 1
  private(set) var acknowledged = 0

  func send() {
    if isOver { return }
    sent += 1
  }
  func answer(isWrong: Bool) {
    // All sent requests are acknowledged; the right form knows them by number.
    acknowledged += isWrong ? sent : 1
    isOver = true
  }
}
