import Dispatch
import Foundation
import UploadScenario

/// A simple contender that meets every requirement, in which one thread at a time takes each job's steps. A flaw breaks one.
struct HonestUploads: Contender {
  var flaw: Flaw?

  var name: String { flaw?.rawValue ?? "honest" }
  let summary = "callbacks and a lock"

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, flaw, count: post.media.count, width: limit ?? .max, completion)
    return job.start { job, index in job.upload(.upload(post.media[index]), as: index) }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { publish(post, to: service, limit: 1, completion: completion) }

  func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion) -> any Cancellable
  { lookUp(post, service, width: .max, completion) }

  func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { lookUp(post, service, width: 1, completion) }

  private func lookUp(
    _ post: Post, _ service: some UploadService, width: Int, _ completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, flaw, count: 3, width: width, completion)
    return job.start { job, index in
      switch PostDetail(rawValue: index)! {
      case .author:
        job.ask({ service.author(of: post, completion: $0) }) { job.arrived(index, $0) { $0.author = $1 } }
      case .place:
        job.ask({ service.place(of: post, completion: $0) }) { job.arrived(index, $0) { $0.place = $1 } }
      case .audience:
        job.ask({ service.audience(of: post, completion: $0) }) {
          job.arrived(index, $0) { $0.audience = $1 }
        }
      }
    }
  }

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    var (flaw, width) = (flaw, limit ?? .max)
    if flaw == .preparesTheUrgentOnTheCaller, priority == .high { flaw = .preparesOnTheCaller }
    if flaw == .overfillsWhatCanWait, priority == .low, let limit { width = limit + 1 }
    let job = Job(post, service, flaw, count: post.media.count, width: width, completion)
    if flaw == .preparesOutsideTheLimit { for media in post.media { job.prepareAhead(media) } }
    return job.start { job, index in
      job.prepare(post.media[index]) { prepared in
        job.ask({ service.issueURL(for: prepared, completion: $0) }) { result in
          switch result {
          case .failure(let error): job.fail(error)
          case .success(let url):
            let url = job.flaw == .guessesTheURL ? UploadURL(for: prepared) : url
            job.upload(.uploadTo(url, prepared), as: index)
          }
        }
      }
    }
  }

  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = StreamJob(
      post, service, flaw, uploaders: uploaders, room: max(buffer, 1) + uploaders, completion)
    return job.start(media)
  }

  func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, flaw, count: post.media.count, width: .max, completion)
    return job.start { job, index in
      Race(job, post.media[index]).start(flaw == .startsTheSecondAtOnce ? .zero : hedgeDelay)
    }
  }

  func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, flaw, count: post.media.count, width: .max, completion)
    if let deadline = policy.deadline, flaw != .ignoresTheDeadline {
      if deadline <= .zero { return job.start(failingWith: DeadlineExceeded()) }
      job.after(deadline) { job.expire() }
    }
    return job.start { job, index in Attempts(job, post.media[index], policy).start(1) }
  }

  func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, flaw, count: post.media.count, width: limit ?? 32, completion)
    return job.start { job, index in
      DispatchQueue.global().async {
        if job.isOver.load(ordering: .acquiring), flaw != .startsAfterAFailure { return }
        let result = Result { try service.uploadBlocking(post.media[index]) }
        job.enter { job.arrived(index, result) }
        if flaw == .blocksOnceMore, case .failure = result, let limit, limit >= 2,
          post.media.count - index >= limit + 6
        {
          _ = try? service.uploadBlocking(post.media[index + limit])
        }
      }
    }
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    if flaw == .neverBeats { return Alarm() }
    if flaw == .beatsOnceMore { return BeatsOnceMore(every: interval, beat) }
    let interval = flaw == .beatsSlowly ? interval * 10 : interval
    return Alarm(interval, repeats: true, on: flaw == .beatsInParallel ? nil : DispatchQueue(label: "beats"))
    { beat() }.stubborn(flaw == .beatsOn)
  }
}
