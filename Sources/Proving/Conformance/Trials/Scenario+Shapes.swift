import UploadScenario

extension Scenario {
  /// The ways in which a pattern can be asked for, whatever the number of its uploads.
  static func shapes(of pattern: Pattern) -> [Scenario] {
    let plain = Scenario(
      name: pattern.rawValue, pattern: pattern, service: pattern == .blocking ? .blocking : .instant,
      photos: 0,
      payloadBytes: 24, chunkBytes: 8, hedgeDelay: .zero, retry: RetryPolicy(firstBackoff: .zero))
    switch pattern {
    case .publish, .blocking: return [nil, 1, 3, 100].map { limit in plain.with { $0.limit = limit } }
    case .presigned:
      return [(nil, .normal), (1, .normal), (3, .high), (100, .normal), (nil, .low), (3, .low), (nil, .high)]
        .map { (limit: Int?, priority: PostPriority) in
          plain.with {
            $0.limit = limit
            $0.priority = priority
          }
        }
    case .stream:
      return [(0, 1), (1, 2), (3, 2), (8, 4)].map { buffer, uploaders in
        plain.with {
          $0.bufferCapacity = buffer
          $0.uploaders = uploaders
        }
      }
    case .race: return [.zero, .seconds(3600)].map { delay in plain.with { $0.hedgeDelay = delay } }
    case .sequence, .zip, .zipSerial, .resilient: return [plain]
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
      if pattern == .stream {
        $0.photos = 1
        // The last chunk is shorter than the others.
        $0.payloadBytes = max(0, uploads * $0.chunkBytes - 3)
      } else {
        $0.photos = pattern.looksUp ? 0 : uploads
      }
    }
  }

  func makePost() -> Post {
    // No post has so many; making one up would only take time.
    let photos = photos > Post.mostMedia ? 0 : photos
    return .synthetic(
      photos: photos, videos: 0, payloadBytes: payloadBytes, seed: UInt64(photos * 31 + payloadBytes) + 1)
  }

  /// The most requests that may be in flight; nil: no such bound.
  var limitInFlight: Int? {
    switch pattern {
    case .sequence, .zipSerial: 1
    case .stream: uploaders
    case .race, .resilient, .zip: nil
    case .publish, .presigned, .blocking: limit
    }
  }

  /// The scenario's data, as a violation names it.
  var text: String {
    var parts = ["\(fanOut) \(pattern.unit)\(fanOut == 1 ? "" : "s")"]
    if let limit { parts.append("at most \(limit) in flight") }
    if priority != .normal { parts.append("\(priority.rawValue) priority") }
    switch pattern {
    case .stream: parts.append("a buffer of \(bufferCapacity), \(uploaders) uploaders")
    case .race: parts.append("hedged after \(hedgeDelay)")
    case .resilient: parts.append("up to \(retry.attempts) attempts")
    default: break
    }
    return parts.joined(separator: ", ")
  }
}
