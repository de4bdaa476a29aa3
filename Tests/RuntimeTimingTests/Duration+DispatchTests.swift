import Dispatch
import RuntimeTiming
import Testing

@Suite struct DurationDispatchTests {
  @Test(arguments: [
    (Duration.zero, 0), (.nanoseconds(7), 7), (.seconds(3) + .nanoseconds(9), 3_000_000_009),
    (.seconds(-1), 0), (.seconds(-9_223_372_036_854), 0),
    (.seconds(9_223_372_036) + .nanoseconds(854_775_807), Int.max),
    (.seconds(9_223_372_036) + .nanoseconds(854_775_808), Int.max), (.seconds(Int64.max), Int.max),
  ])
  func `a duration is whole nanoseconds between none and the most there is`(
    duration: Duration, nanoseconds: Int
  ) {
    #expect(duration.dispatchInterval == .nanoseconds(nanoseconds))
  }
}
