import UploadScenario

/// What contenders promise. The cases are the contract's table: a promise, its sentence, the patterns that make it
/// and what it is tried with stand together, so that none can be without a check.
package enum Promise: String, Sendable, Hashable, CaseIterable, Codable {
  case contexts
  case ends
  case notEarly = "not-early"
  case publication
  case everyUpload = "every-upload"
  case order
  case inOrder = "in-order"
  case postLast = "post-last"
  case onePost = "one-post"
  case limit
  case limitUsed = "limit-used"
  case emptyPost = "empty-post"
  case refusedPost = "refused-post"
  case withoutHandle = "without-handle"
  case firstFailure = "first-failure"
  case noStartAfterFailure = "no-start-after-failure"
  case noPostAfterFailure = "no-post-after-failure"
  case inFlightCancelled = "in-flight-cancelled"
  case cancellation
  case cancellationStops = "cancellation-stops"
  case cancelledPost = "cancelled-post"
  case lateCancel = "late-cancel"
  case noNeedlessCancel = "no-needless-cancel"
  case exactlyOnce = "exactly-once"
  case nothingLeft = "nothing-left"
  case limitCoversPreparation = "limit-covers-preparation"
  case preparesOffTheCaller = "prepares-off-the-caller"
  case itsOwnURL = "its-own-url"
  case failedPreparation = "failed-preparation"
  case boundedChunks = "bounded-chunks"
  case readsAhead = "reads-ahead"
  case readsOffTheCaller = "reads-off-the-caller"
  case failedRead = "failed-read"
  case waitingProducer = "waiting-producer"
  case abandonedWork = "abandoned-work"
  case hedge
  case loserCancelled = "loser-cancelled"
  case oneMirrorFails = "one-mirror-fails"
  case bothMirrorsFail = "both-mirrors-fail"
  case attempts
  case lastError = "last-error"
  case refusals
  case attemptDeadline = "attempt-deadline"
  case backoff
  case deadline
  case blocksOffTheCaller = "blocks-off-the-caller"
  case beats
  case beatsDoNotOverlap = "beats-do-not-overlap"
  case beatsStop = "beats-stop"
  case beatsLeaveNothing = "beats-leave-nothing"
  case answeredTwice = "answered-twice"
  case inlineAnswers = "inline-answers"
  case reentrancy
  case begunWithin = "begun-within"
  case answersElsewhere = "answers-elsewhere"
  case manyUploads = "many-uploads"
  case manyPosts = "many-posts"
  case nothingGrows = "nothing-grows"
  case anySchedule = "any-schedule"

  /// Whether it says little about why it was broken: then a more special rule that was being tried is named instead.
  var isVague: Bool { [.ends, .notEarly, .limit, .limitUsed, .postLast, .publication].contains(self) }
  /// Whether it is about one situation, rather than about all.
  var isSpecial: Bool {
    switch trial {
    case .plays(let goals): goals.allSatisfy { ![.success, .failure, .cancellation].contains($0) }
    case .script: true
    }
  }
}

extension Promise {
  struct Descriptor {
    let sentence: String
    let patterns: [Pattern]
    let trial: Trial

    init(_ sentence: String, in patterns: [Pattern] = Pattern.allCases, _ trial: Trial) {
      (self.sentence, self.patterns, self.trial) = (sentence, patterns, trial)
    }
  }

  /// What a rule is tried with. Whatever else comes to light on the way is reported under its own rule.
  enum Trial {
    /// Plays with these goals in turn.
    case plays([Goal])
    case script(@Sendable (PatternCheck) -> Void)
  }

  var trial: Trial { descriptor.trial }

  var descriptor: Descriptor {
    switch self {
    case .contexts:
      .init(
        "A contender in its own context is itself, and in another has its completions there.",
        .script { $0.isWhereItSays() })
    case .ends: .init("The job ends, and reports so, once everything is answered.", .plays([.success]))
    case .notEarly: .init("The completion is never called before the job is decided.", .plays([.success]))
    case .publication: .init("A job in which all goes well ends with the publication.", .plays([.success]))
    case .everyUpload:
      .init("Everything is asked for exactly once, and nothing else.", .plays([.success]))
    case .order:
      .init(
        "Receipts reach the post and the publication in the order of the media files, whichever arrives first.",
        .plays([.success]))
    case .inOrder:
      .init(
        "What is done one after another is done in the post's order.", in: [.sequence, .zipSerial],
        .plays([.success]))
    case .postLast: .init("The post is created after the last upload has arrived.", .plays([.success]))
    case .onePost: .init("One post is created.", .plays([.success]))
    case .limit:
      .init(
        "No more requests are in flight than the limit allows.", in: .limited, .plays([.success]))
    case .limitUsed:
      .init(
        "As many requests are in flight as the pattern and its limit allow.", in: .concurrent,
        .plays([.success]))
    case .emptyPost:
      .init("A post without media files goes straight to the service.", in: .uploads, .plays([.empty]))
    case .refusedPost: .init("A post that is refused is the job's result.", .plays([.refusedPost]))
    case .withoutHandle: .init("The job goes on when its handle is dropped.", .plays([.droppedHandle]))
    case .firstFailure:
      .init("The first failure is the job's result, whatever comes after it.", .plays([.failure]))
    case .noStartAfterFailure: .init("Nothing starts once an upload has failed.", .plays([.failure]))
    case .noPostAfterFailure: .init("No post is created once an upload has failed.", .plays([.failure]))
    case .inFlightCancelled:
      .init(
        "What is in flight when an upload fails is cancelled before the completion.", in: .cancellable,
        .plays([.failure]))
    case .cancellation:
      .init("Cancelling ends the job with CancellationError, whatever it is at.", .plays([.cancellation]))
    case .cancellationStops:
      .init(
        "Once the job is cancelled nothing starts, and what is in flight is cancelled before the completion.",
        .plays([.cancellation]))
    case .cancelledPost:
      .init("Cancelling while the post is under way cancels the post.", .plays([.cancelledPost]))
    case .lateCancel: .init("Cancelling does nothing once the job has ended.", .plays([.lateCancel]))
    case .noNeedlessCancel:
      .init(
        "Nothing is cancelled without a failure, a cancellation, a lost race or a deadline.",
        in: .cancellable, .plays([.success]))
    case .exactlyOnce:
      .init("The completion is called exactly once.", .plays([.success, .failure, .cancellation]))
    case .nothingLeft:
      .init(
        "Once the job has ended, its completion, its service and its chunks are let go.",
        .plays([.success, .failure, .cancellation]))
    case .limitCoversPreparation:
      .init(
        "A media file is under way from its preparation to the end of its upload.", in: [.presigned],
        .plays([.success]))
    case .preparesOffTheCaller:
      .init("Media are prepared off the calling thread.", in: [.presigned], .plays([.success]))
    case .itsOwnURL:
      .init(
        "A media file is uploaded to the URL that was issued for it.", in: [.presigned], .plays([.success]))
    case .failedPreparation:
      .init(
        "A media file that cannot be prepared fails the job.", in: [.presigned], .plays([.unreadable]))
    case .boundedChunks:
      .init(
        "No more chunks exist than the buffer and the uploaders hold: the producer waits.", in: [.stream],
        .plays([.success, .readAhead]))
    case .readsAhead:
      .init(
        "The producer fills three quarters of the buffer, or more, while the uploaders are busy.",
        in: [.stream], .plays([.readAhead]))
    case .readsOffTheCaller:
      .init("A media file is read off the calling thread.", in: [.stream], .plays([.success]))
    case .failedRead:
      .init("A chunk that cannot be read fails the job.", in: [.stream], .plays([.unreadable]))
    case .waitingProducer:
      .init(
        "A failure and a cancellation wake a producer that waits for a place in the buffer.", in: [.stream],
        .plays([.readAheadThenStop]))
    case .abandonedWork:
      .init(
        "Nothing is made of what was being prepared or read when the job was told to stop.",
        in: [.presigned, .stream], .plays([.stoppedAtWork]))
    case .hedge:
      .init(
        "The second mirror is asked after the hedge delay, unless the first has taken the media file by then.",
        in: [.race], .plays([.hedge, .hedgedInPart]))
    case .loserCancelled:
      .init(
        "The mirror that lost is cancelled at once, and its late answer ignored.", in: [.race],
        .plays([.success]))
    case .oneMirrorFails:
      .init("One failing mirror does not lose the race.", in: [.race], .plays([.transient]))
    case .bothMirrorsFail:
      .init(
        "When both mirrors fail, the error names what each of them said.", in: [.race], .plays([.failure]))
    case .attempts:
      .init(
        "What may succeed another time is tried again, exactly as often as the policy allows.",
        in: [.resilient], .plays([.transient, .exhausted]))
    case .lastError:
      .init(
        "When the last attempt has failed, its error ends the job at once.", in: [.resilient],
        .plays([.exhausted]))
    case .refusals:
      .init(
        "What cannot succeed is not tried again, and ends the job at once.", in: [.resilient],
        .plays([.failure]))
    case .attemptDeadline:
      .init(
        "An attempt that takes too long is cancelled, and counts as failed.", in: [.resilient],
        .plays([.slowAttempt]))
    case .backoff:
      .init(
        "Before another attempt the job waits as long as the policy says; a cancellation cuts that short.",
        in: [.resilient], .plays([.backoff]))
    case .deadline:
      .init(
        "A job that takes longer than it may ends with DeadlineExceeded, whatever it is at.",
        in: [.resilient], .plays([.deadline]))
    case .blocksOffTheCaller:
      .init(
        "What blocks its thread blocks another one than the caller's.", in: [.blocking], .plays([.success]))
    case .beats:
      .init(
        "A heartbeat beats about every interval until it is cancelled, and does not make up for what was missed.",
        in: [.blocking], .script { $0.heartbeatBeats() })
    case .beatsDoNotOverlap:
      .init(
        "No beat begins while another one lasts.", in: [.blocking], .script { $0.heartbeatDoesNotOverlap() })
    case .beatsStop:
      .init(
        "No beat begins once cancel has returned, but for one that is being called.", in: [.blocking],
        .script { $0.heartbeatStops() })
    case .beatsLeaveNothing:
      .init(
        "A cancelled heartbeat lets go of what it called, with its handle at the latest, whatever its interval.",
        in: [.blocking], .script { $0.heartbeatLeavesNothing() })
    case .answeredTwice: .init("A second answer to the same request is ignored.", .plays([.answeredTwice]))
    case .inlineAnswers:
      .init(
        "A service may answer on the caller's thread, any number of times, without deepening the stack.",
        .plays([.inside]))
    case .reentrancy:
      .init(
        "No lock is held while the service or the completion is called: from within, the job can be cancelled.",
        .plays([.reentrant]))
    case .begunWithin:
      .init(
        "No lock of all posts is held while the service or the completion is called: from within, another can begin.",
        .plays([.postedInside]))
    case .answersElsewhere:
      .init(
        "On a queue or a pool nothing of the job is done on the thread that gives an answer, before that returns.",
        .plays([.success, .failure]))
    case .manyUploads: .init("Many uploads at once all arrive.", in: .concurrent, .plays([.manyUploads]))
    case .manyPosts:
      .init("A hundred posts at once do not disturb each other.", .plays([.manyPosts]))
    case .nothingGrows:
      .init(
        "Post after post, neither memory nor threads nor files pile up, and a handle keeps nothing of its post's size.",
        .script { $0.nothingGrows() })
    case .anySchedule:
      .init(
        "Every promise is kept, whatever is answered when, how, and on which threads.",
        .plays(Goal.allCases))
    }
  }
}

extension [Pattern] {
  /// Those whose uploads are as many as the post has media, or chunks.
  static let uploads = Pattern.allCases.filter { !$0.looksUp }
  /// Those whose requests can be cancelled.
  static let cancellable = Pattern.allCases.filter { !$0.blocksThreads }
  static let limited = Pattern.allCases.filter { $0.width != .all }
  /// Those in which several requests are in flight at once.
  static let concurrent = Pattern.allCases.filter { !$0.isSerial && !$0.blocksThreads }
}
