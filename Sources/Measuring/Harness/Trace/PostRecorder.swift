import Foundation
import Results
import Synchronization
import UploadScenario

/// Records when one post's requests are made and answered, and on which threads. Each entry takes one atomic addition.
final class PostRecorder: @unchecked Sendable {
  // Invariant: between two calls of `begin`, each request has its own slot. The requesting thread writes `index`, `asked` and
  // `askReturned`, and the answering thread the others. `trace` reads a slot once both of its atomics are set. The first
  // completion writes `completed` before it reports the post's end. The thread that starts posts writes the rest, before or
  // after each post.
  private let slots: UnsafeMutablePointer<Slot>
  private let capacity: Int
  private let clock: HarnessClock
  private let count = Atomic<Int>(0)
  private let completions = Atomic<Int>(0)
  private var completed = Note()
  /// Whether the next post is recorded. Changes only between posts.
  var isOn = true
  private var start: UInt64 = 0
  private var startReturned = Note()

  /// A time and the operating system's number of a thread.
  private struct Note {
    var thread: UInt = 0
    var nanoseconds: UInt64 = 0
  }

  private struct Slot: ~Copyable {
    var index = -1
    var asked = Note()
    var answered = Note()
    /// The time at which the call that made the request returned; 0 before that.
    let askReturned = Atomic<UInt64>(0)
    let answerReturned = Atomic<UInt64>(0)
  }

  init(capacity: Int, clock: HarnessClock) {
    (self.capacity, self.clock) = (capacity, clock)
    slots = .allocate(capacity: capacity)
    for number in 0..<capacity { (slots + number).initialize(to: Slot()) }
  }

  deinit {
    slots.deinitialize(count: capacity)
    slots.deallocate()
  }

  private func now() -> Note {
    Note(thread: UInt(bitPattern: pthread_self().hashValue), nanoseconds: clock.nanoseconds())
  }

  // MARK: While the post is in flight

  /// Starts a new record. Returns a completion that records its first call.
  func begin(_ completion: @escaping Completion) -> Completion {
    guard isOn else { return completion }
    for number in 0..<min(capacity, count.load(ordering: .relaxed)) {
      slots[number].askReturned.store(0, ordering: .relaxed)
      slots[number].answerReturned.store(0, ordering: .relaxed)
    }
    count.store(0, ordering: .relaxed)
    completions.store(0, ordering: .relaxed)
    return { [self] result in
      if completions.add(1, ordering: .relaxed).oldValue == 0 { completed = now() }
      completion(result)
    }
  }

  /// Records that the post was started by a call that began at `start`, on this thread.
  func hasStarted(at start: UInt64) { if isOn { (self.start, startReturned) = (start, now()) } }

  /// Records that a request is made now, and returns its number. An `index` of -1 means the request that creates the post.
  func willAsk(_ index: Int) -> Int {
    let number = count.add(1, ordering: .relaxed).oldValue
    if number < capacity { (slots[number].index, slots[number].asked) = (index, now()) }
    return number
  }

  func hasAsked(_ number: Int) {
    if number < capacity { slots[number].askReturned.store(clock.nanoseconds(), ordering: .releasing) }
  }

  func isAnswered(_ number: Int) { if number < capacity { slots[number].answered = now() } }

  func hasAnswered(_ number: Int) {
    if number < capacity { slots[number].answerReturned.store(clock.nanoseconds(), ordering: .releasing) }
  }

  // MARK: After the post's end

  /// The record of a post that has ended. `nil` if it made too many requests, or if a callback does not return in a second.
  func trace(asksAtOnce: Bool) -> PostTrace? {
    let (start, total) = (start, count.load(ordering: .acquiring))
    let deadline = clock.nanoseconds() + 1_000_000_000
    while !(0..<min(total, capacity)).allSatisfy(hasReturned) {
      if clock.nanoseconds() > deadline { return nil }
      clock.sleep(clock.nanoseconds() + 50_000, 0)
    }
    guard total <= capacity else { return nil }
    var notes = [startReturned, completed]
    for number in 0..<total { notes += [slots[number].asked, slots[number].answered] }
    var threads = [startReturned.thread: 0]
    for note in notes.sorted(by: { $0.nanoseconds < $1.nanoseconds }) where threads[note.thread] == nil {
      threads[note.thread] = threads.count
    }
    func moment(_ note: Note) -> PostTrace.Moment {
      PostTrace.Moment(thread: threads[note.thread]!, nanoseconds: note.nanoseconds - start)
    }
    return PostTrace(
      requests: (0..<total).map { number in
        PostTrace.Request(
          index: slots[number].index < 0 ? nil : slots[number].index, asked: moment(slots[number].asked),
          askReturned: slots[number].askReturned.load(ordering: .acquiring) - start,
          answered: moment(slots[number].answered),
          answerReturned: slots[number].answerReturned.load(ordering: .acquiring) - start)
      }, startReturned: startReturned.nanoseconds - start, completed: moment(completed),
      asksAtOnce: asksAtOnce)
  }

  private func hasReturned(_ number: Int) -> Bool {
    slots[number].askReturned.load(ordering: .acquiring) > 0
      && slots[number].answerReturned.load(ordering: .acquiring) > 0
  }
}
