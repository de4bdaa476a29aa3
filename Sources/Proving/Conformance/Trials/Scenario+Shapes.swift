import UploadScenario

extension Scenario {
  /// The ways in which a pattern can be asked for, whatever the number of its uploads.
  static func shapes(of pattern: Pattern) -> [Scenario] {
    let plain = Scenario(
      name: pattern.rawValue, pattern: pattern, service: pattern.blocksThreads ? .blocking : .instant,
      photos: 0, payloadBytes: 24
    ) {
      $0.chunkBytes = 8
      $0.hedgeDelay = .zero
      $0.retry.firstBackoff = .zero
    }
    if pattern.prepares {
      return [(nil, .normal), (1, .normal), (3, .high), (100, .normal), (nil, .low), (3, .low), (nil, .high)]
        .map { (limit: Int?, priority: PostPriority) in
          plain.with {
            $0.limit = limit
            $0.priority = priority
          }
        }
    }
    if pattern.races {
      return [.zero, .seconds(3600)].map { delay in plain.with { $0.hedgeDelay = delay } }
    }
    switch pattern.width {
    case .limit: return [nil, 1, 3, 100].map { limit in plain.with { $0.limit = limit } }
    case .uploaders:
      return [(0, 1), (1, 2), (3, 2), (8, 4)].map { buffer, uploaders in
        plain.with {
          $0.bufferCapacity = buffer
          $0.uploaders = uploaders
        }
      }
    case .one, .all: return [plain]
    }
  }

  func with(_ change: (inout Scenario) -> Void) -> Scenario {
    var scenario = self
    change(&scenario)
    return scenario
  }

  /// The same of so many uploads or chunks; lookups are three, whatever is asked for.
  func of(_ uploads: Int) -> Scenario {
    with {
      if pattern.isChunked {
        $0.photos = 1
        // The last chunk is shorter than the others.
        $0.payloadBytes = max(0, uploads * $0.chunkBytes - 3)
      } else {
        $0.photos = pattern.looksUp ? 0 : uploads
      }
    }
  }

  package func makePost() -> Post {
    // No post has so many; making one up would only take time.
    let photos = photos > Post.mostMedia ? 0 : photos
    return .synthetic(
      photos: photos, videos: 0, payloadBytes: payloadBytes, seed: UInt64(photos * 31 + payloadBytes) + 1)
  }

  /// The scenario's data, as a violation names it.
  var text: String {
    var parts = [size]
    if let limit { parts.append("at most \(limit) in flight") }
    if priority != .normal { parts.append("\(priority.rawValue) priority") }
    if pattern.isChunked { parts.append("a buffer of \(bufferCapacity), \(uploaders) uploaders") }
    if pattern.races { parts.append("hedged after \(hedgeDelay)") }
    if pattern.retries { parts.append("up to \(retry.attempts) attempts") }
    return parts.joined(separator: ", ")
  }
}
