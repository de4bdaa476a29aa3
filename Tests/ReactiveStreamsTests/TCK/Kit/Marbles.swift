import ReactiveStreams
import Synchronization

/// A stream's signals over time, drawn as text: `-a-b-(cd)-|`.
///
/// Each character is one frame: `-` is an empty one, `|` the end, `#` a failure, any other a value. Signals in parentheses come within
/// one frame, in that order. Spaces mean nothing.
struct Marbles: Sendable, Hashable {
  enum Signal: Sendable, Hashable {
    case value(Character)
    case finished
    case failed
  }

  /// A signal and when it comes.
  struct Event: Sendable, Hashable {
    /// Counted from the subscription, from 0.
    let frame: Int
    let signal: Signal
  }

  let events: [Event]
}

extension Marbles {
  /// Traps when a parenthesis is not closed, or closed without having been opened.
  init(_ diagram: String) {
    var events: [Event] = []
    var frame = 0
    var isInGroup = false
    for character in diagram where character != " " {
      switch character {
      case "(":
        precondition(!isInGroup, "a group inside a group in \(diagram)")
        isInGroup = true
        continue
      case ")":
        precondition(isInGroup, "a group that was not opened in \(diagram)")
        isInGroup = false
      case "-": break
      case "|": events.append(Event(frame: frame, signal: .finished))
      case "#": events.append(Event(frame: frame, signal: .failed))
      default: events.append(Event(frame: frame, signal: .value(character)))
      }
      if !isInGroup { frame += 1 }
    }
    precondition(!isInGroup, "a group that is not closed in \(diagram)")
    self.events = events
  }
}

extension Marbles: ExpressibleByStringLiteral {
  init(stringLiteral diagram: String) { self.init(diagram) }
}

/// The failure that `#` draws.
struct MarbleFailure: Error, Hashable {}

/// Plays and records diagrams in virtual time: no test waits.
final class MarbleClock: Sendable {
  /// For operators that take a scheduler; `frame` is a frame's length in its time.
  let scheduler = TestScheduler()
  /// How long a frame is, in the scheduler's time.
  let frame: Duration

  init(frame: Duration = .milliseconds(1)) { self.frame = frame }

  /// Plays a diagram to each subscriber from its subscription on. Values without demand in their frame wait.
  func publisher(_ marbles: Marbles) -> MarblePublisher { MarblePublisher(marbles: marbles, clock: self) }

  /// Subscribes with unlimited demand, lets time pass, and returns the signals.
  func record<P: Publisher>(_ publisher: P, frames: Int = 100) -> Marbles where P.Output == Character {
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

/// Plays a diagram in a clock's virtual time, to each subscriber from the start.
struct MarblePublisher: Publisher {
  typealias Output = Character
  typealias Failure = MarbleFailure

  let marbles: Marbles
  let clock: MarbleClock

  func receive<S: Subscriber>(subscriber: S) where S.Input == Character, S.Failure == MarbleFailure {
    let subject = PassthroughSubject<Character, MarbleFailure>()
    let timers = marbles.events.map { event in
      clock.scheduler.schedule(after: clock.frame * event.frame) {
        switch event.signal {
        case .value(let value): subject.send(value)
        case .finished: subject.send(completion: .finished)
        case .failed: subject.send(completion: .failure(MarbleFailure()))
        }
      }
    }
    // The timers go with the stream.
    subject.buffer(size: .max, whenFull: .suspendUpstream).ensure { withExtendedLifetime(timers) {} }
      .receive(subscriber: subscriber)
  }
}
