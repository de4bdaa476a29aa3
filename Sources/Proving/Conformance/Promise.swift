import UploadScenario

/// A requirement that contenders must meet.
public struct Rule: Sendable, Hashable, Codable {
  let kind: Promise

  init(_ kind: Promise) { self.kind = kind }

  /// All rules, in the order in which they are checked.
  public static let all = Promise.allCases.map(Rule.init)
  /// The name in reports. Example: `first-failure`.
  public var name: String { kind.rawValue }
  /// The requirement in one sentence.
  public var promise: String { kind.descriptor.sentence }
  /// The patterns to which the rule applies.
  public var patterns: [Pattern] { kind.descriptor.patterns }

  /// Decodes a rule from its name. Throws if no rule has that name.
  public init(from decoder: any Decoder) throws { kind = try Promise(from: decoder) }

  /// Encodes the rule's name.
  public func encode(to encoder: any Encoder) throws { try kind.encode(to: encoder) }
}

/// All requirements. The table below gives each its sentence, its patterns and its check.
package enum Promise: Sendable, Hashable, CaseIterable, RawRepresentable, Codable {
  case ends, notEarly, publication, everyUpload, order, inOrder, postLast, onePost, limit,
    limitUsed, emptyPost, refusedPost, withoutHandle, firstFailure, noStartAfterFailure, noPostAfterFailure,
    inFlightCancelled, cancellation, cancellationStops, cancelledPost, lateCancel, noNeedlessCancel,
    exactlyOnce, nothingLeft, limitCoversPreparation, preparesOffTheCaller, itsOwnURL, failedPreparation,
    boundedChunks, readsAhead, readsOffTheCaller, failedRead, waitingProducer, abandonedWork, hedge,
    loserCancelled, oneMirrorFails, bothMirrorsFail, attempts, lastError, refusals, attemptDeadline,
    backoff, deadline, blocksOffTheCaller, beats, beatsDoNotOverlap, beatsStop, beatsLeaveNothing,
    reentrancy, begunWithin, manyUploads, manyPosts, nothingGrows, anySchedule

  /// The case's name in lower case, with hyphens. Example: `its-own-url`.
  package var rawValue: String {
    var (name, wasLower) = ("", false)
    for letter in "\(self)" {
      if letter.isUppercase, wasLower { name += "-" }
      name += letter.lowercased()
      wasLower = letter.isLowercase
    }
    return name
  }

  package init?(rawValue: String) {
    guard let named = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = named
  }

  /// Whether the rule is general. A test of a special rule that breaks a general one is reported under the special rule.
  var isVague: Bool { [.ends, .notEarly, .limit, .limitUsed, .postLast, .publication].contains(self) }
  /// Whether the rule covers only one special situation.
  var isSpecial: Bool { descriptor.goals.allSatisfy { ![.success, .failure, .cancellation].contains($0) } }

  struct Descriptor {
    let sentence: String
    let patterns: [Pattern]
    /// The kinds of test cases that check the rule.
    let goals: [Goal]
    /// A check that runs instead of generated test cases.
    let script: (@Sendable (PatternCheck) -> Void)?

    init(
      _ sentence: String, in patterns: [Pattern] = Pattern.allCases, _ goals: [Goal] = [],
      script: (@Sendable (PatternCheck) -> Void)? = nil
    ) {
      (self.sentence, self.patterns, self.goals, self.script) = (sentence, patterns, goals, script)
    }
  }

  var descriptor: Descriptor {
    switch self {
    case .ends: .init("The job ends and calls its completion once every request is answered.", [.success])
    case .notEarly: .init("The completion is never called before the job's result is certain.", [.success])
    case .publication: .init("A job without failures ends with the publication.", [.success])
    case .everyUpload: .init("Every request is made exactly once, and no other.", [.success])
    case .order:
      .init("Receipts reach the post and the publication in the order of the media files.", [.success])
    case .inOrder:
      .init(
        "Serial patterns make their requests in the post's order.",
        in: [.sequence, .zipSerial], [.success])
    case .postLast: .init("The post is created after the last upload has arrived.", [.success])
    case .onePost: .init("Exactly one post is created.", [.success])
    case .limit: .init("No more requests are in flight than the limit allows.", in: .limited, [.success])
    case .limitUsed:
      .init("As many requests are in flight as the pattern and its limit allow.", in: .concurrent, [.success])
    case .emptyPost: .init("A post without media files goes straight to the service.", in: .uploads, [.empty])
    case .refusedPost: .init("A refused post is the job's result.", [.refusedPost])
    case .withoutHandle: .init("The job goes on when its handle is dropped.", [.droppedHandle])
    case .firstFailure: .init("The first failure is the job's result.", [.failure])
    case .noStartAfterFailure: .init("Nothing starts once an upload has failed.", [.failure])
    case .noPostAfterFailure: .init("No post is created once an upload has failed.", [.failure])
    case .inFlightCancelled:
      .init(
        "When an upload fails, requests in flight are cancelled before the completion.",
        in: .cancellable, [.failure])
    case .cancellation:
      .init("A cancellation ends the job with CancellationError at any moment.", [.cancellation])
    case .cancellationStops:
      .init(
        "After a cancellation no request starts, and those in flight are cancelled before the completion.",
        [.cancellation])
    case .cancelledPost: .init("A cancellation cancels a post in flight.", [.cancelledPost])
    case .lateCancel: .init("A cancellation after the job's end does nothing.", [.lateCancel])
    case .noNeedlessCancel:
      .init(
        "A request is cancelled only after a failure, a cancellation, a lost race or a deadline.",
        in: .cancellable, [.success])
    case .exactlyOnce: .init("The completion is called exactly once.", [.success, .failure, .cancellation])
    case .nothingLeft:
      .init(
        "After the job's end the completion is released, and with the job's handle the service and all chunks.",
        [.success, .failure, .cancellation])
    case .limitCoversPreparation:
      .init(
        "The limit counts a media file from its preparation to the end of its upload.",
        in: [.presigned], [.success])
    case .preparesOffTheCaller:
      .init("Media files are prepared off the calling thread.", in: [.presigned], [.success])
    case .itsOwnURL:
      .init("A media file is uploaded to the URL that was issued for it.", in: [.presigned], [.success])
    case .failedPreparation:
      .init("A media file that cannot be prepared fails the job.", in: [.presigned], [.unreadable])
    case .boundedChunks:
      .init(
        "No more chunks exist than the buffer and the uploaders hold: the producer waits.",
        in: [.stream], [.success, .readAhead])
    case .readsAhead:
      .init(
        "The producer fills three quarters of the buffer, or more, while the uploaders are busy.",
        in: [.stream], [.readAhead])
    case .readsOffTheCaller: .init("A media file is read off the calling thread.", in: [.stream], [.success])
    case .failedRead: .init("A chunk that cannot be read fails the job.", in: [.stream], [.unreadable])
    case .waitingProducer:
      .init(
        "A failure and a cancellation wake a producer that waits for a place in the buffer.",
        in: [.stream], [.readAheadThenStop])
    case .abandonedWork:
      .init(
        "A preparation or read that is under way when the job stops is not used.",
        in: [.presigned, .stream], [.stoppedAtWork])
    case .hedge:
      .init(
        "The upload to the second mirror starts after the hedge delay, unless the first has succeeded by then.",
        in: [.race], [.hedge, .hedgedInPart])
    case .loserCancelled:
      .init(
        "The losing upload of a race is cancelled at once, and its late answer ignored.",
        in: [.race], [.success])
    case .oneMirrorFails: .init("One failing mirror does not lose the race.", in: [.race], [.transient])
    case .bothMirrorsFail:
      .init("If both mirrors fail, the job's error has both errors.", in: [.race], [.failure])
    case .attempts:
      .init(
        "Transient failures are retried exactly as often as the policy allows.",
        in: [.resilient], [.transient, .exhausted])
    case .lastError:
      .init("The error of the last attempt ends the job at once.", in: [.resilient], [.exhausted])
    case .refusals:
      .init("A permanent failure is not retried, and ends the job at once.", in: [.resilient], [.failure])
    case .attemptDeadline:
      .init(
        "An attempt that exceeds its deadline is cancelled, and counts as failed.",
        in: [.resilient], [.slowAttempt])
    case .backoff:
      .init(
        "Before a retry the job waits for the policy's backoff; a cancellation ends the wait.",
        in: [.resilient], [.backoff])
    case .deadline:
      .init(
        "A job that exceeds its deadline ends with DeadlineExceeded, at any moment.",
        in: [.resilient], [.deadline])
    case .blocksOffTheCaller: .init("Blocking calls run off the calling thread.", in: [.blocking], [.success])
    case .beats:
      .init(
        "A heartbeat beats about every interval until it is cancelled, and does not make up for missed beats.",
        in: [.blocking], script: { $0.heartbeatBeats() })
    case .beatsDoNotOverlap:
      .init(
        "No beat begins while another is running.", in: [.blocking], script: { $0.heartbeatDoesNotOverlap() })
    case .beatsStop:
      .init(
        "No beat begins once cancel has returned, except one that is being called.",
        in: [.blocking], script: { $0.heartbeatStops() })
    case .beatsLeaveNothing:
      .init(
        "A cancelled heartbeat releases its closure, at the latest with its handle.",
        in: [.blocking], script: { $0.heartbeatLeavesNothing() })
    case .reentrancy:
      .init(
        "No lock is held while the service or the completion is called: the job can be cancelled and answered meanwhile.",
        [.reentrant, .meanwhile])
    case .begunWithin:
      .init(
        "No lock shared by posts is held while the service or the completion is called: another post can begin inside.",
        [.postedInside])
    case .manyUploads: .init("Many uploads at once all arrive.", in: .concurrent, [.manyUploads])
    case .manyPosts: .init("A hundred posts at once do not disturb each other.", [.manyPosts])
    case .nothingGrows:
      .init(
        "Neither memory nor threads nor open files grow from post to post.",
        script: { $0.nothingGrows() })
    case .anySchedule:
      .init("Every requirement holds at any timing of the answers, on any threads.", Goal.allCases)
    }
  }
}

extension [Pattern] {
  /// The patterns whose uploads are media files or chunks.
  static let uploads = Pattern.allCases.filter { !$0.looksUp }
  static let cancellable = Pattern.allCases.filter { !$0.blocksThreads }
  static let limited = Pattern.allCases.filter { $0.width != .all }
  static let concurrent = Pattern.allCases.filter { !$0.isSerial && !$0.blocksThreads }
}
