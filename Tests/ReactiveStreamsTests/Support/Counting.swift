import Synchronization

/// Numbers from one, as an asynchronous sequence that counts how often it is asked for one.
struct Counting: AsyncSequence, Sendable {
  final class Pulls: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
    func next() -> Int { count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    let limit: Int
    let pulls: Pulls
    mutating func next() async -> Int? { await next(isolation: nil) }
    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      let number = pulls.next()
      return number > limit ? nil : number
    }
  }

  let limit: Int
  let pulls = Pulls()

  init(upTo limit: Int) { self.limit = limit }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(limit: limit, pulls: pulls) }
}
