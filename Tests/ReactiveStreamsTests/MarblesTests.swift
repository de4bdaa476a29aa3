import ReactiveStreams
import TestSupport
import Testing

@Suite("Marbles", .ownThread) struct MarblesTests {
  @Test(arguments: ["-a-b-(cd)-|", "--#", "(ab)-(c|)", "|", "-"])
  func `a played diagram is recorded unchanged`(_ diagram: String) {
    let clock = MarbleClock()
    #expect(clock.record(clock.publisher(Marbles(diagram))) == Marbles(diagram))
  }

  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let input: [String]
    let expected: Marbles
    let apply: @Sendable (MarbleClock, [MarblePublisher]) -> AnyPublisher<Character, any Error>

    init<P: Publisher>(
      _ name: String, _ input: String..., is expected: Marbles,
      by apply: @escaping @Sendable (MarbleClock, [MarblePublisher]) -> P
    ) where P.Output == Character {
      self.name = name
      self.input = input
      self.expected = expected
      self.apply = { apply($0, $1).mapError { $0 as any Error }.eraseToAnyPublisher() }
    }

    var testDescription: String { name }
  }

  @Test(arguments: examples) func `operators over time`(_ example: Example) {
    let clock = MarbleClock()
    let inputs = example.input.map { clock.publisher(Marbles($0)) }
    #expect(clock.record(example.apply(clock, inputs)) == example.expected)
  }

  static let examples: [Example] = [
    Example("map", "-a-(bc)-|", is: "-A-(BC)-|") { $1[0].map { Character($0.uppercased()) } },
    Example("map, failing", "-a-#", is: "-A-#") { $1[0].map { Character($0.uppercased()) } },
    Example("filter", "-a-b-a-|", is: "---b---|") { $1[0].filter { $0 == "b" } },
    Example("compactMap", "-a-b-|", is: "---b-|") { $1[0].compactMap { $0 == "b" ? $0 : nil } },
    Example("scan", "-a-b-|", is: "-a-b-|") { $1[0].scan("a") { max($0, $1) } },
    Example("reduce waits for the end", "-a-b-|", is: "-----(b|)") { $1[0].reduce("a") { max($0, $1) } },
    Example("prefix ends with its last value", "-a-b-c-|", is: "-a-(b|)") { $1[0].prefix(2) },
    Example("first", "--a-b-|", is: "--(a|)") { $1[0].first() },
    Example("tryMap", "-a-b-c-|", is: "-a-#") {
      $1[0].tryMap { value -> Character in
        if value == "b" { throw TestError() }
        return value
      }
    },
    Example("merge", "-a---b-|", "--c-d-|", is: "-ac-db-|") { $1.merge() },
    Example("merge fails at once", "-a---b-|", "--#", is: "-a#") { $1.merge() },
    Example("flatMap", "-a-b------|", is: "-a-(ab)-b----|") { clock, inputs in
      inputs[0].flatMap { value in clock.publisher("x-x|").map { _ in value } }
    },
    Example("concatMap", "-ab------|", is: "-a-ab-b--|") { clock, inputs in
      inputs[0].concatMap { value in clock.publisher("x-x|").map { _ in value } }
    },
    Example("concatMapEager keeps the order", "ab-------|", is: "---ab----|") { clock, inputs in
      inputs[0].concatMapEager { value in clock.publisher(value == "a" ? "---x|" : "x|").map { _ in value } }
    },
    Example("zip", "-a-b---|", "--c--d-|", is: "--c--d-|") { $1[0].zip($1[1]).map { max($0.0, $0.1) } },
    Example("zip ends with the shorter", "-a-|", "--b--c-|", is: "--b|") {
      $1[0].zip($1[1]).map { max($0.0, $0.1) }
    },
    Example("any", "---a-|", "-b---c|", is: "-b---c|") { $1.any() },
    Example("catch", "-a-#", "-b-|", is: "-a--b-|") { _, inputs in inputs[0].catch { _ in inputs[1] } },
    Example("retry", "-a-#", is: "-a--a-#") { $1[0].retry(1) },
    Example("timeout", "-a------b|", is: "-a--#") {
      $1[0].timeout($0.frame * 3, scheduler: $0.scheduler) { MarbleFailure() }
    },
  ]
}
