import ReactiveStreams
import Synchronization

/// Plays and records diagrams in virtual time: no test waits.
///
///     let clock = MarbleClock()
///     let result = clock.record(clock.publisher("-a-b-|").map { Character($0.uppercased()) })
///     #expect(result == "-A-B-|")
public final class MarbleClock: Sendable {
  /// For operators that take a scheduler; `frame` is a frame's length in its time.
  public let scheduler = TestScheduler()
  /// How long a frame is, in the scheduler's time.
  public let frame: Duration

  /// Its time stands still until something is recorded.
  public init(frame: Duration = .milliseconds(1)) { self.frame = frame }

  /// A publisher that plays a diagram to each subscriber from its subscription on. Values that were not asked
  /// for in their frame wait.
  public func publisher(_ marbles: Marbles) -> MarblePublisher {
    MarblePublisher(marbles: marbles, clock: self)
  }

  /// Subscribes, asks for everything, lets time pass, and returns what came.
  public func record<P: Publisher>(_ publisher: P, frames: Int = 100) -> Marbles where P.Output == Character {
    let start = scheduler.now
    let events = Mutex<[Marbles.Event]>([])
    let add: @Sendable (Marbles.Signal) -> Void = { [self] signal in
      let event = Marbles.Event(frame: Int((scheduler.now - start) / frame), signal: signal)
      events.withLock { $0.append(event) }
    }
    let probe = Probe<Character, P.Failure>(
      keepsValues: false,
      onValue: { _, value in
        add(.value(value))
        return .none
      },
      onCompletion: { _, completion in
        if case .finished = completion { add(.finished) } else { add(.failed) }
      })
    publisher.subscribe(probe)
    probe.request(.unlimited)
    scheduler.advance()
    for _ in 0..<frames { scheduler.advance(by: frame) }
    probe.cancel()
    return Marbles(events: events.withLock { $0 })
  }
}
