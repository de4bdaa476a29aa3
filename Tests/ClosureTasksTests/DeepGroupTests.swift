import ClosureTasks
import TestSupport
import Testing

/// Groups within groups, as a fold with `zip` makes them.
@Suite(.ownThread) struct DeepGroupTests {
  enum Kind: CaseIterable { case group, sequence, any, race, zip, timeout, retry, recover, then, ensure }
  /// A stack of 512 KB is too small for that many frames, however small.
  static let depth = Effort.count(4_000, thorough: 10_000)
  static let closures = Effort.count(20_000, thorough: 100_000)

  private func nest(_ kind: Kind, around inner: ClosureTask<Int>) -> ClosureTask<Int> {
    switch kind {
    case .group: ClosureTask.group([inner]).map { $0[0] }
    case .sequence: ClosureTask.sequence([inner]).map { $0[0] }
    case .any: ClosureTask.any([inner])
    case .race: ClosureTask.race([inner])
    case .zip: ClosureTask.zip(inner, ClosureTask { $0.finish(with: 1) }).map { $0.0 }
    case .timeout: inner.timeout(after: .seconds(3600))
    case .retry: inner.retry(attempts: 2, if: { _ in false })
    case .recover: inner.recover { throw $0 }
    case .ensure: inner.ensure {}
    case .then: inner.then { value in ClosureTask { $0.finish(with: value) } }
    }
  }

  private func nested(_ kind: Kind, around inner: ClosureTask<Int>) -> ClosureTask<Int> {
    (0..<Self.depth).reduce(inner) { inner, _ in nest(kind, around: inner) }
  }

  enum End: CaseIterable { case value, failure, cancellation }

  @Test(arguments: Kind.allCases, End.allCases)
  func `an end passes them in bounded stack`(kind: Kind, end: End) {
    let manual = Manual()
    onSmallStack {
      let outcome = Outcome(nested(kind, around: manual.task(7)))
      switch end {
      case .value: manual.finish(7)
      case .failure: manual.fail(7)
      case .cancellation: outcome.run.cancel()
      }
      #expect(outcome.all.count == 1 && outcome.value == (end == .value ? 7 : nil))
    }
    #expect(manual.cancelled.entries == (end == .cancellation ? [7] : []))
  }

  @Test func `nested errors are kept, and freed in bounded stack`() {
    onSmallStack {
      let manual = Manual()
      let task = (0..<Self.closures).reduce(manual.task(7)) { inner, index in
        ClosureTask.any([ClosureTask { $0.fail(with: Failure(code: index)) }, inner])
      }
      let outcome = Outcome(task)
      manual.fail(7)
      guard case .failure(ClosureTaskError.allFailed(let errors))? = outcome.all.first,
        case ClosureTaskError.allFailed(let within)? = errors.last
      else {
        Issue.record("it has not failed with errors within errors")
        return
      }
      #expect(errors.first as? Failure == Failure(code: Self.closures - 1))
      #expect(within.first as? Failure == Failure(code: Self.closures - 2))
    }
  }

  @Test(arguments: [Kind.zip, .group])
  func `a failure beside them cancels them in bounded stack`(kind: Kind) {
    let manual = Manual()
    let outcome = Guarded<Outcome<(Int, Int)>?>(nil)
    onSmallStack {
      let task = Outcome(ClosureTask.zip(nested(kind, around: manual.task(7)), manual.task(1)))
      manual.fail(1)
      outcome.withLock { $0 = task }
    }
    #expect(manual.cancelled.entries == [7])
    #expect(outcome.withLock { $0!.failure } == "\(Failure(code: 1))")
  }

  /// A closure that holds a task that holds a closure, and so on.
  @Test(arguments: [false, true])
  func `tasks in the closures of tasks are freed in bounded stack`(recovers: Bool) {
    let alive = Counter()
    onSmallStack {
      let witness = Witness(alive)
      var task = ClosureTask<Int> { controller in
        withExtendedLifetime(witness) { _ = controller.finish(with: 0) }
      }
      for _ in 0..<Self.closures {
        let inner = task
        let step = ClosureTask<Int> { $0.finish(with: 0) }
        task = recovers ? step.recover { _ in inner } : step.then { _ in inner }
      }
      #expect(alive.current == 1)
    }
    #expect(alive.current == 0)
  }
}
