import UploadScenario

extension Play {
  /// The test cases of a rule that run with every seed: the sizes and numbers at which implementations tend to fail.
  static func sweep(of rule: Promise, _ pattern: Pattern, seed: UInt64, mostUploads: Int) -> [Play] {
    func plays(
      _ numbers: some Sequence<Int>, of size: (Int) -> Int, _ change: (inout Play, Int) -> Void
    ) -> [Play] {
      numbers.map { number in Play(pattern, seed, size(number)) { change(&$0, number) } }
    }
    switch rule {
    case .limit where pattern.takesLimit:
      // In these test cases, two or three uploads must wait because of the limit.
      let few = limits.filter { $0 + 3 <= mostUploads && ($0 <= 70 || !pattern.blocksThreads) }
      return plays(few, of: { $0 + 2 + $0 % 2 }) {
        ($0.scenario.limit, $0.stillnessMilliseconds) = ($1, pattern.blocksThreads ? 0 : 1)
      }
    case .limit where pattern.isChunked:
      return plays(1...40, of: { $0 + 3 }) { ($0.scenario.uploaders, $0.stillnessMilliseconds) = ($1, 1) }
    case .limitCoversPreparation:
      return plays(1...16, of: { 3 * $0 }) { $0.scenario.limit = $1 }
    case .inFlightCancelled where !pattern.looksUp && !pattern.blocksThreads:
      // In these test cases, the service refuses the last upload while all others are in flight.
      return plays(widths.filter { $0 < mostUploads }, of: { $0 + 1 }) {
        ($0.scenario.uploaders, $0.refused, $0.order, $0.mostAtOnce) = ($1 + 1, [$1: 1], .reverse, 1)
      }
    case .noStartAfterFailure where pattern.blocksThreads:
      // In these test cases, the service refuses an upload while others are in flight and more wait because of the limit.
      return (1...9).flatMap { limit in
        plays([0, limit], of: { _ in limit + 10 }) {
          ($0.scenario.limit, $0.refused, $0.mostAtOnce) = (limit, [$1: 1], 1)
        }
      }
    case .cancellation where !pattern.looksUp && !pattern.blocksThreads:
      return plays(widths.filter { $0 < mostUploads }, of: { $0 }) {
        ($0.scenario.uploaders, $0.stop) = ($1, .cancelled(after: 0, isAmid: false))
      }
    case .cancelledPost:
      // In these test cases, another thread cancels the job before the job has the handle of its request to create the post.
      return plays([1, 3], of: { $0 }) { play, _ in
        play.stop = .cancelledInside(play.scenario.requestCount + 1, fromElsewhere: true)
      }
    case .exactlyOnce where !pattern.isSerial:
      // The last two events of these test cases are concurrent: two successes or failures, or a success and a cancellation.
      return plays(0..<4, of: { _ in 2 }) { play, number in
        (play.onThreads, play.mostAtOnce) = (true, 2)
        if number == 1 || number == 2 { play.refused = [0: 1] }
        if number == 1 { play.refused[1] = 1 }
        if number == 3 { play.stop = .cancelled(after: 1, isAmid: true) }
      }
    case .onePost where pattern.retries:
      // With an even seed, the service's refusal to create the post is transient. Even so, the job must not request it again.
      return (1...12).map { attempts in
        Play(pattern, seed & ~1, 2) { ($0.scenario.retry.attempts, $0.stop) = (attempts, .postRefused) }
      }
    case .nothingLeft where pattern.isChunked:
      return plays(0...16, of: { max(1, $0) + 5 }) {
        ($0.scenario.bufferCapacity, $0.scenario.uploaders, $0.fillsBuffer) = ($1, 2, true)
        $0.stop = .cancelled(after: 0, isAmid: false)
      }
    case .failedRead:
      // In these test cases, a chunk cannot be read while the chunks before it are in flight.
      return plays(0...16, of: { $0 + 2 }) {
        ($0.scenario.uploaders, $0.stop) = ($1 + 1, .atWork($1, .unreadable))
      }
    case .abandonedWork where pattern.prepares:
      return (1...9).flatMap { size in
        AtWork.allCases.map { reason in Play(pattern, seed, size) { $0.stop = .atWork(size - 1, reason) } }
      }
    case .boundedChunks:
      return plays(0...40, of: { max(1, $0) + 5 }) {
        ($0.scenario.bufferCapacity, $0.scenario.uploaders, $0.fillsBuffer) = ($1, 2, true)
      } + plays(1...40, of: { $0 }) { play, _ in play.scenario.bufferCapacity = 4 }
    case .deadline:
      // In these test cases, the deadline passes during all uploads, or during the request to create the post after retries.
      return plays([1, 3, 33], of: { $0 }) { play, _ in
        (play.silentFrom, play.scenario.retry.deadline) = (1, .milliseconds(15))
      }
        + [Duration.zero, .milliseconds(1)].flatMap { backoff in
          plays(0...4, of: { _ in 2 }) {
            ($0.scenario.retry.attempts, $0.transient, $0.silentFrom) = ($1 + 1, 1, 2 * $1 + 3)
            $0.scenario.retry.wait(backoff, backoff)
            $0.scenario.retry.deadline = .milliseconds(20)
          }
        }
    case .attemptDeadline:
      // In these test cases, all attempts but the last time out, and are answered after their cancellation.
      return Backend.Late.allCases.flatMap { late in
        [false, true].flatMap { isEarly in
          plays(2...4, of: { _ in 1 }) {
            ($0.scenario.retry.attempts, $0.silent, $0.late, $0.endsBeforeCancelReturns) = (
              $1, 1, late, isEarly
            )
            $0.scenario.retry.attemptDeadline = .milliseconds(3)
          }
        }
      }
    case .reentrancy:
      // Another thread cancels during the completion. A job may hold a different lock at each kind of ending.
      return ends(of: pattern).map { end in
        Play(pattern, seed, 3) {
          $0.cancelsAtTheEnd = true
          end(&$0)
        }
      }
    case .attempts:
      // In these test cases, the last of several attempts succeeds, or one attempt is refused permanently.
      return plays(1...12, of: { _ in 2 }) { ($0.scenario.retry.attempts, $0.transient) = ($1, 1) }
        + (1...12).flatMap { attempts in
          plays(1...attempts, of: { _ in 2 }) {
            ($0.scenario.retry.attempts, $0.refused) = (attempts, [0: $1])
          }
        }
    default: return []
    }
  }

  private static let widths = Array(1...17) + [32, 33, 64, 65, 100]
  private static let limits = Array(1...70) + Array(96...100) + Array(127...129) + Array(255...257)

  private static func ends(of pattern: Pattern) -> [(inout Play) -> Void] {
    [
      { _ in }, { $0.stop = .postRefused }, { $0.stop = .postCancelled },
      { $0.stop = .cancelled(after: 0, isAmid: false) }, { $0.stop = .cancelled(after: 1, isAmid: false) },
      { $0.refused = [1: 1] },
    ] + (pattern.prepares || pattern.isChunked ? [{ $0.unreadable = 1 }] : [])
      + (pattern.retries ? [{ ($0.silentFrom, $0.scenario.retry.deadline) = (1, .milliseconds(8)) }] : [])
  }

  /// Creates a test case in which all uploads succeed at once, unless `change` alters that.
  private init(_ pattern: Pattern, _ seed: UInt64, _ size: Int, _ change: (inout Play) -> Void) {
    scenario = Scenario(tried: pattern, size) {
      $0.hedgeDelay = .zero
      $0.retry = RetryPolicy(attempts: 3, firstBackoff: .zero, seed: seed)
    }
    self.seed = seed
    mostAtOnce = size
    change(&self)
  }
}
