/// A scenario that no one can be asked to do.
public struct InvalidScenario: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong and what to do, for people.
  public let reason: String

  public var description: String { reason }
}

extension Post {
  /// No post has more photos and videos than this.
  public static let mostMedia = 1_000_000
}

extension Scenario {
  /// No post is started behind more others than this.
  public static let mostBehind = 100_000

  /// What is wrong with it and what to do; nil if it can be started.
  ///
  /// What is unusual but has a meaning is no problem: a limit above the number of media (all at once), a buffer of 0 (a
  /// rendezvous), a deadline that has passed (the job fails with `DeadlineExceeded` and uploads nothing).
  public var problem: InvalidScenario? {
    reasonToRefuse.map(InvalidScenario.init)
  }

  private var reasonToRefuse: String? {
    if photos < 0 || videos < 0 { return "a post cannot have \(min(photos, videos)) media" }
    if photos + videos > Post.mostMedia {
      return "a post has at most \(Post.mostMedia) media, not \(photos + videos)"
    }
    if let limit, limit < 1 {
      return "a limit of \(limit) in flight would let nothing happen: give 1 or more, or none"
    }
    if holdsAnswers, let problem = holdProblem { return problem }
    if pattern != .presigned, priority != .normal || behind != 0 {
      return "\(pattern.rawValue) has no work of its own that could wait for other posts': use presigned"
    }
    return switch pattern {
    case .stream: streamProblem
    case .presigned where preparePasses < 0: "\(preparePasses) passes over a media: give 0 or more"
    case .presigned where behind != 0: behindProblem
    case .race where hedgeDelay < .zero: "a hedge delay of \(hedgeDelay) lies in the past: give 0 or more"
    case .resilient: retryProblem
    case .blocking where service == .latency:
      "the calls of the latency service do not block: use the blocking service"
    case .blocking: nil
    default: service == .blocking ? "the blocking service is for the blocking pattern" : nil
    }
  }

  private var holdProblem: String? {
    if pattern != .publish { return "\(pattern.rawValue) never has all its uploads in flight: hold publish" }
    if service != .latency { return "\(service.rawValue) holds nothing: use latency" }
    return faults.isEmpty && cancelAfterNanoseconds == nil
      ? nil : "what fails or is cancelled might never have all in flight: hold what succeeds"
  }

  private var streamProblem: String? {
    if photos + videos != 1 { return "a stream is of one media, not \(photos + videos)" }
    if chunkBytes < 8 || chunkBytes % 8 != 0 {
      return "a chunk has 8 bytes or a multiple of it, not \(chunkBytes)"
    }
    if fanOut > Post.mostMedia {
      return "a stream has at most \(Post.mostMedia) chunks, not \(fanOut): make them larger"
    }
    if bufferCapacity < 0 { return "a buffer of \(bufferCapacity) chunks: give 0 (a rendezvous) or more" }
    if uploaders < 1 { return "\(uploaders) uploaders would let nothing happen: give 1 or more" }
    return service == .file || service == .blocking
      ? "\(service.rawValue) takes no chunks: use instant or latency" : nil
  }

  private var behindProblem: String? {
    if behind < 0 { return "a post cannot be started behind \(behind) others: give 0 or more" }
    if behind > Self.mostBehind {
      return "a post is started behind \(Self.mostBehind) others at most, not \(behind)"
    }
    if photos + videos == 0 { return "a post without media has nothing to wait with: give it one or more" }
    return service == .instant || service == .latency
      ? nil : "\(service.rawValue) has queues of its own, which know no priorities: use instant or latency"
  }

  private var retryProblem: String? {
    if retry.attempts < 1 { return "\(retry.attempts) attempts start nothing: give 1 or more" }
    if retry.attempts > 200 {
      return "\(retry.attempts) attempts are more than the ledger can count: give 200 or fewer"
    }
    if retry.firstBackoff < .zero || retry.longestBackoff < .zero {
      return "a backoff of \(min(retry.firstBackoff, retry.longestBackoff)) lies in the past: give 0 or more"
    }
    return service == .blocking ? "the blocking service is for the blocking pattern" : nil
  }
}
