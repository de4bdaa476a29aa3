import UploadScenario

/// A requirement of contenders, chosen by callers and named in reports.
public struct Rule: Sendable, Hashable, Codable {
  let kind: Promise

  init(_ kind: Promise) { self.kind = kind }

  /// All rules, in the order in which they are checked.
  public static let all = Promise.allCases.map(Rule.init)
  /// The name in reports, such as `first-failure`.
  public var name: String { kind.rawValue }
  /// The requirement in one sentence.
  public var promise: String { kind.descriptor.sentence }
  /// The patterns that it applies to.
  public var patterns: [Pattern] { kind.descriptor.patterns }

  /// Decodes the rule's name; throws if it is unknown.
  public init(from decoder: any Decoder) throws { kind = try Promise(from: decoder) }

  /// Encodes the rule's name.
  public func encode(to encoder: any Encoder) throws { try kind.encode(to: encoder) }
}

/// The contract's table: each requirement stands with its sentence, its patterns and its check, so that none lacks a check.
package enum Promise: Sendable, Hashable, CaseIterable, RawRepresentable, Codable {
  case ends, notEarly, publication, everyUpload, order, inOrder, postLast, onePost, limit,
    limitUsed, emptyPost, refusedPost, withoutHandle, firstFailure, noStartAfterFailure, noPostAfterFailure,
    inFlightCancelled, cancellation, cancellationStops, cancelledPost, lateCancel, noNeedlessCancel,
    exactlyOnce, nothingLeft, limitCoversPreparation, preparesOffTheCaller, itsOwnURL, failedPreparation,
    boundedChunks, readsAhead, readsOffTheCaller, failedRead, waitingProducer, abandonedWork, hedge,
    loserCancelled, oneMirrorFails, bothMirrorsFail, attempts, lastError, refusals, attemptDeadline,
    backoff, deadline, blocksOffTheCaller, beats, beatsDoNotOverlap, beatsStop, beatsLeaveNothing,
    reentrancy, begunWithin, manyUploads, manyPosts, nothingGrows, anySchedule

  /// The case's name with hyphens: `first-failure`, `its-own-url`.
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

  /// Whether a more special rule under test is reported instead.
  var isVague: Bool { [.ends, .notEarly, .limit, .limitUsed, .postLast, .publication].contains(self) }
  /// Whether it is about one situation only.
  var isSpecial: Bool { descriptor.goals.allSatisfy { ![.success, .failure, .cancellation].contains($0) } }
}

extension Promise {
  struct Descriptor {
    let sentence: String
    let patterns: [Pattern]
    /// The goals of the plays that check it. Other breaches that they find are reported under their own rules.
    let goals: [Goal]
    /// Checks the rule instead of plays.
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
    case .ends: .init("The job ends, and reports so, once everything is answered.", [.success])
    case .notEarly: .init("The completion is never called before the job is decided.", [.success])
    case .publication: .init("A job in which all goes well ends with the publication.", [.success])
    case .everyUpload: .init("Everything is requested exactly once, and nothing else.", [.success])
    case .order:
      .init(
        "Receipts reach the post and the publication in the order of the media files, whichever arrives first.",
        [.success])
    case .inOrder:
      .init(
        "What is done one after another is done in the post's order.",
        in: [.sequence, .zipSerial], [.success])
    case .postLast: .init("The post is created after the last upload has arrived.", [.success])
    case .onePost: .init("One post is created.", [.success])
    case .limit: .init("No more requests are in flight than the limit allows.", in: .limited, [.success])
    case .limitUsed:
      .init("As many requests are in flight as the pattern and its limit allow.", in: .concurrent, [.success])
    case .emptyPost: .init("A post without media files goes straight to the service.", in: .uploads, [.empty])
    case .refusedPost: .init("A post that is refused is the job's result.", [.refusedPost])
    case .withoutHandle: .init("The job goes on when its handle is dropped.", [.droppedHandle])
    case .firstFailure: .init("The first failure is the job's result, whatever comes after it.", [.failure])
    case .noStartAfterFailure: .init("Nothing starts once an upload has failed.", [.failure])
    case .noPostAfterFailure: .init("No post is created once an upload has failed.", [.failure])
    case .inFlightCancelled:
      .init(
        "What is in flight when an upload fails is cancelled before the completion.",
        in: .cancellable, [.failure])
    case .cancellation:
      .init("Cancelling ends the job with CancellationError, whatever it is at.", [.cancellation])
    case .cancellationStops:
      .init(
        "Once the job is cancelled nothing starts, and what is in flight is cancelled before the completion.",
        [.cancellation])
    case .cancelledPost: .init("Cancelling while the post is under way cancels the post.", [.cancelledPost])
    case .lateCancel: .init("Cancelling does nothing once the job has ended.", [.lateCancel])
    case .noNeedlessCancel:
      .init(
        "Nothing is cancelled without a failure, a cancellation, a lost race or a deadline.",
        in: .cancellable, [.success])
    case .exactlyOnce: .init("The completion is called exactly once.", [.success, .failure, .cancellation])
    case .nothingLeft:
      .init(
        "Once the job has ended, its completion is released, and with its handle the service and all chunks.",
        [.success, .failure, .cancellation])
    case .limitCoversPreparation:
      .init(
        "A media file is under way from its preparation to the end of its upload.",
        in: [.presigned], [.success])
    case .preparesOffTheCaller:
      .init("Media are prepared off the calling thread.", in: [.presigned], [.success])
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
        "What was being prepared or read when the job stopped is not used.",
        in: [.presigned, .stream], [.stoppedAtWork])
    case .hedge:
      .init(
        "The second mirror is tried after the hedge delay, unless the first has taken the media file by then.",
        in: [.race], [.hedge, .hedgedInPart])
    case .loserCancelled:
      .init(
        "The mirror that lost is cancelled at once, and its late answer ignored.", in: [.race], [.success])
    case .oneMirrorFails: .init("One failing mirror does not lose the race.", in: [.race], [.transient])
    case .bothMirrorsFail:
      .init("When both mirrors fail, the error has that of each.", in: [.race], [.failure])
    case .attempts:
      .init(
        "What may succeed another time is tried again, exactly as often as the policy allows.",
        in: [.resilient], [.transient, .exhausted])
    case .lastError:
      .init(
        "When the last attempt has failed, its error ends the job at once.", in: [.resilient], [.exhausted])
    case .refusals:
      .init("What cannot succeed is not tried again, and ends the job at once.", in: [.resilient], [.failure])
    case .attemptDeadline:
      .init(
        "An attempt that takes too long is cancelled, and counts as failed.",
        in: [.resilient], [.slowAttempt])
    case .backoff:
      .init(
        "Before another attempt the job waits as long as the policy says; a cancellation cuts that short.",
        in: [.resilient], [.backoff])
    case .deadline:
      .init(
        "A job that takes longer than it may ends with DeadlineExceeded, whatever it is at.",
        in: [.resilient], [.deadline])
    case .blocksOffTheCaller:
      .init(
        "A call that blocks its thread is made on another one than the caller's.", in: [.blocking], [.success]
      )
    case .beats:
      .init(
        "A heartbeat beats about every interval until it is cancelled, and does not make up for what was missed.",
        in: [.blocking], script: { $0.heartbeatBeats() })
    case .beatsDoNotOverlap:
      .init(
        "No beat begins while another one lasts.", in: [.blocking], script: { $0.heartbeatDoesNotOverlap() })
    case .beatsStop:
      .init(
        "No beat begins once cancel has returned, but for one that is being called.",
        in: [.blocking], script: { $0.heartbeatStops() })
    case .beatsLeaveNothing:
      .init(
        "A cancelled heartbeat releases what it called, with its handle at the latest, whatever its interval.",
        in: [.blocking], script: { $0.heartbeatLeavesNothing() })
    case .reentrancy:
      .init(
        "No lock is held while the service or the completion is called: meanwhile the job can be cancelled, and answered.",
        [.reentrant, .meanwhile])
    case .begunWithin:
      .init(
        "No lock of all posts is held while the service or the completion is called: from within, another post can begin.",
        [.postedInside])
    case .manyUploads: .init("Many uploads at once all arrive.", in: .concurrent, [.manyUploads])
    case .manyPosts: .init("A hundred posts at once do not disturb each other.", [.manyPosts])
    case .nothingGrows:
      .init("Post after post, neither memory nor threads nor files pile up.", script: { $0.nothingGrows() })
    case .anySchedule:
      .init("Every promise is kept, whenever and on whichever threads answers come.", Goal.allCases)
    }
  }
}

extension [Pattern] {
  /// Patterns whose uploads are the post's media files or chunks.
  static let uploads = Pattern.allCases.filter { !$0.looksUp }
  static let cancellable = Pattern.allCases.filter { !$0.blocksThreads }
  static let limited = Pattern.allCases.filter { $0.width != .all }
  static let concurrent = Pattern.allCases.filter { !$0.isSerial && !$0.blocksThreads }
}
