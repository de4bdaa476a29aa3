import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct IntervalBarTests {
  @Test(
    arguments: [
      (10, 10...10, "██████████"), (5, 5...5, "█████"), (5.5, 5.4...5.6, "█████▌"), (0.01, 0.01...0.01, "▏"),
      (5, 3...7, "███▒▒▒▒"), (5, 4.6...5.2, "█████▒"), (9, 8...12, "████████▒▒"), (0.2, 0...1, "▒"),
      (5, nil, "░░░░░"), (0.1, nil, "░"), (1e9, nil, "░░░░░░░░░░"),
    ] as [(Double, ClosedRange<Double>?, String)])
  func `a bar is dark up to its interval`(value: Double, interval: ClosedRange<Double>?, bar: String) {
    #expect(IntervalBar.text(value, interval: interval, most: 10, width: 10) == bar)
  }

  @Test func `no bar is longer than its room`() {
    for low in stride(from: 0.0, through: 12, by: 0.3) {
      for width in stride(from: 0.0, through: 12, by: 0.3) {
        let bar = IntervalBar.text(low, interval: low...(low + width), most: 10, width: 10)
        #expect((1...10).contains(bar.count), "\(low) \(width)")
      }
    }
  }
}
