import ReactiveStreams
import TestSupport
import Testing

@Suite("Jitter", .ownThread)
struct JitterTests {
  private func pauses(share: Double, seed: UInt64) -> [Duration] {
    (1...1000).map { Jitter(share: share, seed: seed).shortened(.seconds(1), number: $0) }
  }

  @Test func `each pause keeps the rest of its share at least, differently each time`() {
    let pauses = pauses(share: 0.5, seed: 7)
    #expect(pauses.allSatisfy { $0 > .milliseconds(500) && $0 <= .seconds(1) })
    #expect(Set(pauses).count == 1000)
    // Uniform: the mean of a thousand is within five of its standard deviations.
    let mean: Double = pauses.map { $0 / .seconds(1) }.reduce(0, +) / 1000
    let deviation: Double = 0.5 / (12.0 * 1000).squareRoot()
    #expect(abs(mean - 0.75) < 5 * deviation)
  }

  @Test func `the same seed shortens alike, another one otherwise, and no share not at all`() {
    #expect(pauses(share: 0.5, seed: 7) == pauses(share: 0.5, seed: 7))
    #expect(pauses(share: 0.5, seed: 7) != pauses(share: 0.5, seed: 8))
    #expect(Set(pauses(share: 0, seed: 7)) == [.seconds(1)])
  }
}
