import Synchronization
import UploadScenario

/// Uploads one media after another and misbehaves as told: the harness has to notice.
final class FakeContender: PartialContender {
  let patterns = [Pattern.publish]

  enum Behaviour: String, Sendable, CaseIterable {
    case honest, throwsError, hangs, answersTwice, wrongOrder, leaks, ignoresLimit, oneTooFew, uploadsTwice,
      twoPosts,
      startsAfterCompletion, postsAfterFailure, answersForOther
  }

  let name: String
  let summary = "a fake"
  private let behaviour: Behaviour
  /// What `leaks` and `hangs` hold on to.
  private let held = Mutex<[Completion]>([])

  init(_ behaviour: Behaviour) {
    self.behaviour = behaviour
    name = behaviour.rawValue
  }

  private struct Refusal: Error {}

  private final class Job: Cancellable {
    let uploads = Mutex<[any Cancellable]>([])
    func cancel() { for upload in uploads.withLock({ $0 }) { upload.cancel() } }
  }

  func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
    -> any Cancellable
  {
    let job = Job()
    switch behaviour {
    case .throwsError:
      completion(.failure(Refusal()))
      return job
    case .hangs:
      held.withLock { $0.append(completion) }
      return job
    case .leaks:
      held.withLock { $0.append(completion) }
    default: break
    }
    let results = Mutex<[Result<Receipt, any Error>]>([])
    var media = post.media
    if behaviour == .oneTooFew { media = media.dropLast() }
    if behaviour == .uploadsTwice { media += media.prefix(1) }
    for item in media {
      let upload = service.upload(item) { result in results.withLock { $0.append(result) } }
      job.uploads.withLock { $0.append(upload) }
    }
    if results.withLock({ $0.isEmpty }), !media.isEmpty {
      // The service answers only when it is cancelled.
      let waiting = Waiting(job: job, completion: completion)
      return waiting
    }
    end(post, results.withLock { $0 }, to: service, completion)
    return job
  }

  private final class Waiting: Cancellable {
    let job: Job
    let completion: Mutex<Completion?>
    init(job: Job, completion: @escaping Completion) {
      self.job = job
      self.completion = Mutex(completion)
    }
    func cancel() {
      job.cancel()
      let completion = completion.withLock { $0.take() }
      completion?(.failure(CancellationError()))
    }
  }

  private func end(
    _ post: Post, _ results: [Result<Receipt, any Error>], to service: some UploadService,
    _ completion: @escaping Completion
  ) {
    do {
      var receipts = try results.map { try $0.get() }
      if behaviour == .wrongOrder { receipts.reverse() }
      if behaviour == .answersForOther { receipts[0] = receipts[1] }
      let times = behaviour == .twoPosts ? 2 : 1
      for time in 1...times {
        _ = service.createPost(post, receipts: receipts) { result in
          if time == times { completion(result) }
        }
      }
    } catch {
      if behaviour == .postsAfterFailure { _ = service.createPost(post, receipts: []) { _ in } }
      completion(.failure(error))
    }
    if behaviour == .answersTwice { completion(.failure(Refusal())) }
    if behaviour == .startsAfterCompletion { _ = service.upload(post.media[0]) { _ in } }
  }
}
