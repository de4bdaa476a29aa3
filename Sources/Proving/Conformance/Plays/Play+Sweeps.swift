import UploadScenario

extension Play {
  /// What a rule is tried with whatever the seed: one play for each number at which an implementation may go wrong.
  static func sweep(of rule: Promise, _ pattern: Pattern, seed: UInt64, mostUploads: Int) -> [Play] {
    switch rule {
    case .limit where pattern.takesLimit:
      // As many as may be are held before the first is answered; then two or three are left.
      limits.filter { $0 + 3 <= mostUploads && ($0 <= 70 || !pattern.blocksThreads) }.map { limit in
        Play(pattern, seed, limit + 2 + limit % 2) {
          ($0.scenario.limit, $0.stillnessMilliseconds) = (limit, pattern.blocksThreads ? 0 : 1)
        }
      }
    case .limit where pattern.isChunked:
      (1...40).map { uploaders in
        Play(pattern, seed, uploaders + 3) {
          ($0.scenario.uploaders, $0.stillnessMilliseconds) = (uploaders, 1)
        }
      }
    case .limitCoversPreparation:
      (1...16).map { limit in Play(pattern, seed, 3 * limit) { $0.scenario.limit = limit } }
    case .inFlightCancelled where !pattern.looksUp && !pattern.blocksThreads:
      // The last is refused while all others are in flight.
      widths.filter { $0 < mostUploads }.map { width in
        Play(pattern, seed, width + 1) {
          ($0.scenario.uploaders, $0.refused, $0.order, $0.mostAtOnce) = (width + 1, [width: 1], .reverse, 1)
        }
      }
    case .noStartAfterFailure where pattern.blocksThreads:
      // The first is refused, or one of those that follow, while as many as may be are in flight and others wait.
      (1...9).flatMap { limit in
        [0, limit].map { refused in
          Play(pattern, seed, limit + 10) {
            ($0.scenario.limit, $0.refused, $0.mostAtOnce) = (limit, [refused: 1], 1)
          }
        }
      }
    case .cancellation where !pattern.looksUp && !pattern.blocksThreads:
      widths.filter { $0 < mostUploads }.map { width in
        Play(pattern, seed, width) {
          ($0.scenario.uploaders, $0.stop) = (width, .cancelled(after: 0, isAmid: false))
        }
      }
    case .onePost where pattern.retries:
      // What fails for now and may not be tried again: an even seed says so.
      (1...12).map { attempts in
        Play(pattern, seed & ~1, 2) { ($0.scenario.retry.attempts, $0.stop) = (attempts, .postRefused) }
      }
    case .nothingLeft where pattern.isChunked:
      (0...16).map { buffer in
        Play(pattern, seed, max(1, buffer) + 5) {
          ($0.scenario.bufferCapacity, $0.scenario.uploaders, $0.fillsBuffer) = (buffer, 2, true)
          $0.stop = .cancelled(after: 0, isAmid: false)
        }
      }
    case .failedRead:
      // Those before it are in flight.
      (0...16).map { chunk in
        Play(pattern, seed, chunk + 2) {
          ($0.scenario.uploaders, $0.stop) = (chunk + 1, .atWork(chunk, .unreadable))
        }
      }
    case .abandonedWork where pattern.prepares:
      (1...9).flatMap { size in
        AtWork.allCases.map { reason in
          Play(pattern, seed, size) { $0.stop = .atWork(size - 1, reason) }
        }
      }
    case .boundedChunks:
      (0...40).map { buffer in
        Play(pattern, seed, max(1, buffer) + 5) {
          ($0.scenario.bufferCapacity, $0.scenario.uploaders, $0.fillsBuffer) = (buffer, 2, true)
        }
      } + (1...40).map { Play(pattern, seed, $0) { $0.scenario.bufferCapacity = 4 } }
    case .deadline:
      // While all uploads are under way, or the post is, after so many failed attempts.
      [1, 3, 33].map { size in
        Play(pattern, seed, size) { ($0.silentFrom, $0.scenario.retry.deadline) = (1, .milliseconds(15)) }
      }
        + (0...4).flatMap { failures in
          [Duration.zero, .milliseconds(1)].map { backoff in
            Play(pattern, seed, 2) {
              ($0.scenario.retry.attempts, $0.transient, $0.silentFrom) = (failures + 1, 1, 2 * failures + 3)
              ($0.scenario.retry.firstBackoff, $0.scenario.retry.longestBackoff) = (backoff, backoff)
              $0.scenario.retry.deadline = .milliseconds(20)
            }
          }
        }
    case .attemptDeadline:
      // All attempts but the last take too long, and are answered once they have been cancelled.
      (2...4).flatMap { attempts in
        Backend.Late.allCases.flatMap { late in
          [false, true].map { endsInCancel in
            Play(pattern, seed, 1) {
              ($0.scenario.retry.attempts, $0.silent, $0.late, $0.endsInCancel) = (
                attempts, 1, late, endsInCancel
              )
              $0.scenario.retry.attemptDeadline = .milliseconds(3)
            }
          }
        }
      }
    case .reentrancy:
      // The completion cancels from another thread, however the job has ended: each end may hold a lock of its own.
      ends(of: pattern).map { end in
        Play(pattern, seed, 3) {
          $0.cancelsAtTheEnd = true
          end(&$0)
        }
      }
    case .attempts:
      // The last succeeds, or what cannot succeed comes at one of them.
      (1...12).flatMap { attempts in
        [Play(pattern, seed, 2) { ($0.scenario.retry.attempts, $0.transient) = (attempts, 1) }]
          + (1...attempts).map { refusal in
            Play(pattern, seed, 2) { ($0.scenario.retry.attempts, $0.refused) = (attempts, [0: refusal]) }
          }
      }
    default: []
    }
  }

  /// How many are in flight when a job is told to stop.
  private static let widths = Array(1...17) + [32, 33, 64, 65, 100]
  private static let limits = Array(1...70) + Array(96...100) + Array(127...129) + Array(255...257)

  /// How a job may end, each for another reason.
  private static func ends(of pattern: Pattern) -> [(inout Play) -> Void] {
    [
      { _ in }, { $0.stop = .postRefused }, { $0.stop = .postCancelled },
      { $0.stop = .cancelled(after: 0, isAmid: false) }, { $0.stop = .cancelled(after: 1, isAmid: false) },
      { $0.refused = [1: 1] },
    ] + (pattern.prepares || pattern.isChunked ? [{ $0.unreadable = 1 }] : [])
      + (pattern.retries ? [{ ($0.silentFrom, $0.scenario.retry.deadline) = (1, .milliseconds(8)) }] : [])
  }

  /// Everything arrives, many at once, unless it is changed.
  private init(_ pattern: Pattern, _ seed: UInt64, _ size: Int, _ change: (inout Play) -> Void) {
    scenario = Scenario(
      name: pattern.rawValue, pattern: pattern, service: pattern.blocksThreads ? .blocking : .instant,
      photos: pattern.isChunked ? 1 : pattern.looksUp ? 0 : size,
      payloadBytes: pattern.isChunked ? size * 8 : 24)
    self.seed = seed
    scenario.chunkBytes = 8
    scenario.hedgeDelay = .zero
    scenario.retry = RetryPolicy(attempts: 3, firstBackoff: .zero, seed: seed)
    mostAtOnce = size
    change(&self)
  }
}
