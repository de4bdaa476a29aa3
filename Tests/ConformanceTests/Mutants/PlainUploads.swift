import UploadScenario

/// Callbacks with one lock, as people write them. With a slip it goes wrong where such code does.
///
/// The slips were written from `Contender` alone, before the kit was tried with them: they say what it misses.
struct PlainUploads: PartialContender {
  var slip: Slip?

  var name: String { slip?.rawValue ?? "plain" }
  let summary = "one lock"
  let patterns = [Pattern.publish, .presigned, .stream, .race, .resilient]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    PlainPublish(post, service, slip, limit: limit, completion).start()
  }

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    PlainPresigned(post, service, slip, limit: limit, completion).start()
  }

  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    PlainStream(post, service, slip, limit: uploaders, completion).start(media, buffer: buffer)
  }

  func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = PlainRaces(post, service, slip, limit: nil, completion)
    job.hedgeDelay = hedgeDelay
    return job.start()
  }

  func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = PlainResilient(post, service, slip, limit: nil, completion)
    job.policy = policy
    return job.start()
  }
}

/// What people get wrong, by the pattern that it is tried in.
enum Slip: String, CaseIterable, Sendable {
  // publish
  /// Reads under the lock whether the job has ended, and says that it has under another.
  case looksAndEndsInTwoSteps
  /// Counts down in two steps.
  case countsInTwoSteps
  /// Looks in two steps whether all is there.
  case seesTheLastTwice
  case forgetsToLeave
  /// A handle that comes after a failure is not cancelled.
  case cancelsOnlyWhatItHas
  case completesBeforeItCancels
  case dropsThePostsHandle
  /// A cancel is the end only if nothing else fails meanwhile.
  case reportsAFailureAfterTheCancel
  /// The last receipt is there, the handle of the post is not.
  case losesACancelBeforeThePost
  case limitsByBatches
  case appendsReceipts
  case locksWhileItAsks
  case locksWhileItCompletes
  /// A cancel does not look whether the job has failed.
  case completesForAFailureAndACancel
  case reportsTheLastError
  /// The loop that starts the uploads does not look.
  case startsOnAfterAFailure
  case keepsItself
  case keepsItsCompletion
  case hangsWithoutMedia
  case givesItsPlaceBackTwice
  case hearsNoRefusalOfThePost
  /// A semaphore on the calling thread keeps the limit.
  case waitsOnTheCaller
  case retriesThePost
  // presigned
  case asksForAURLAfterTheStop
  case preparesAllAtOnce
  case sharesTheURL
  case swallowsAFailedPreparation
  case dropsTheURLsHandle
  case givesItsPlaceBackAtTheURL
  // stream
  case readsTwiceAtOnce
  case buffersOneMore
  case takesAFailedReadForTheEnd
  case missesTheEnd
  case leavesItsProducerWaiting
  case hangsWithoutChunks
  // race
  case leavesTheHedgesTimer
  case countsTheLoser
  case givesUpWithThePrimary
  case hedgesAtTheFirstFailure
  case swapsTheErrors
  case cancelsLosersAtTheEnd
  case keepsOneHandleOfTwo
  // resilient
  case waitsOutTheBackoff
  case triesForever
  case leavesTheAttemptsTimer
  case countsALateAnswer
  case givesUpWithoutCancelling
  case retriesAfterTheStop
  case sharesItsAttempts
  case waitsAsLongEachTime
  case retriesWhateverFails
  case sparesThePostTheDeadline

  /// Whether it shows only if two answers meet within nanoseconds: some four times of ten.
  var isRace: Bool { self == .countsInTwoSteps || self == .seesTheLastTwice }

  var pattern: Pattern {
    let all = Self.allCases
    let place = all.firstIndex(of: self)!
    let begins: [(Self, Pattern)] = [
      (.waitsOutTheBackoff, .resilient), (.leavesTheHedgesTimer, .race), (.readsTwiceAtOnce, .stream),
      (.asksForAURLAfterTheStop, .presigned),
    ]
    return begins.first { place >= all.firstIndex(of: $0.0)! }?.1 ?? .publish
  }
}
