import ReactiveStreams
import Testing

@Suite("Backoff")
struct BackoffTests {
  @Test func `pauses double up to the maximum`() {
    let backoff = Backoff(base: .seconds(1), maximum: .seconds(5))
    #expect((1...5).map(backoff.pause) == [1, 2, 4, 5, 5].map { .seconds($0) })
    #expect(Backoff(base: .seconds(1), maximum: .seconds(60)).pause(before: 1_000) == .seconds(60))
  }

  @Test func `jitter takes off its share at most, differently each time, the same for the same seed`() {
    let backoff = Backoff(base: .seconds(1), maximum: .seconds(1), jitter: 0.5, seed: 7)
    let pauses = (1...1000).map(backoff.pause)
    #expect(pauses.allSatisfy { $0 > .milliseconds(500) && $0 <= .seconds(1) })
    #expect(Set(pauses).count == 1000)
    #expect(
      pauses == (1...1000).map(Backoff(base: .seconds(1), maximum: .seconds(1), jitter: 0.5, seed: 7).pause))
    #expect(
      pauses != (1...1000).map(Backoff(base: .seconds(1), maximum: .seconds(1), jitter: 0.5, seed: 8).pause))
    // Uniform: the mean of a thousand is within five of its standard deviations.
    let mean = pauses.reduce(.zero, +) / 1000
    #expect(abs(mean / .seconds(1) - 0.75) < 5 * 0.5 / (12.0 * 1000).squareRoot())
  }
}
