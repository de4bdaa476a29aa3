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
    case .boundedChunks:
      (0...40).map { buffer in
        Play(pattern, seed, max(1, buffer) + 5) {
          ($0.scenario.bufferCapacity, $0.scenario.uploaders, $0.fillsBuffer) = (buffer, 2, true)
        }
      } + (1...40).map { Play(pattern, seed, $0) { $0.scenario.bufferCapacity = 4 } }
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

  private static let limits = Array(1...70) + Array(96...100) + Array(127...129) + Array(255...257)

  /// Everything arrives, many at once, unless it is changed.
  private init(_ pattern: Pattern, _ seed: UInt64, _ size: Int, _ change: (inout Play) -> Void) {
    scenario = Scenario(
      name: pattern.rawValue, pattern: pattern, service: pattern.blocksThreads ? .blocking : .instant,
      photos: pattern.isChunked ? 1 : size, payloadBytes: pattern.isChunked ? size * 8 : 24)
    self.seed = seed
    scenario.chunkBytes = 8
    scenario.hedgeDelay = .zero
    scenario.retry = RetryPolicy(attempts: 3, firstBackoff: .zero, seed: seed)
    mostAtOnce = size
    change(&self)
  }
}
