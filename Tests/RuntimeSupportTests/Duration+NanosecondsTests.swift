import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct DurationNanosecondsTests {
  static let cases: [(Duration, Int64)] = [
    (.zero, 0), (.nanoseconds(7), 7),
    (Duration(secondsComponent: 3, attosecondsComponent: 9_000_000_000), 3_000_000_009),
    (.seconds(-1), 0), (.seconds(-9_223_372_036_854), 0),
    (Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_807_000_000_000), .max),
    (Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_808_000_000_000), .max),
    (.seconds(Int64.max), .max),
  ]

  @Test(arguments: cases) func `a duration is whole nanoseconds between none and the most there is`(
    duration: Duration, nanoseconds: Int64
  ) {
    #expect(duration.wholeNanoseconds == nanoseconds)
  }
}
