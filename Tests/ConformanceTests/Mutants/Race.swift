import UploadScenario

final class Race<Service: UploadService>: @unchecked Sendable {
  // Invariant: accessed only inside the job's `enter`.
  private let job: Job<Service>
  private let media: Media
  private var requests: [Int] = []
  private var errors: [Mirror: any Error] = [:]
  private var isDecided = false

  init(_ job: Job<Service>, _ media: Media) {
    self.job = job
    self.media = media
  }

  func start(_ hedgeDelay: Duration) {
    ask(.primary)
    if hedgeDelay == .zero {
      ask(.secondary)
    } else {
      requests.append(job.after(hedgeDelay) { if !self.job.hasTakenTheLast { self.ask(.secondary) } })
    }
  }

  private func ask(_ mirror: Mirror) {
    let (job, media) = (job, media)
    requests.append(
      job.ask({ job.service.upload(media, to: mirror, completion: $0) }) { self.answered(mirror, $0) })
  }

  private func answered(_ mirror: Mirror, _ result: Result<Receipt, any Error>) {
    guard !isDecided else { return }
    switch result {
    case .success:
      isDecided = true
      if job.flaw == .hedgesUntilTheLastIsTaken, media == job.post.media.last { job.hasTakenTheLast = true }
      if job.flaw != .keepsTheLoser { for request in requests { job.forget(request) } }
      job.arrived(media.index, result)
    case .failure(let error):
      errors[mirror] = error
      if job.flaw == .losesWithOneMirror { return job.fail(error) }
      guard let primary = errors[.primary], let secondary = errors[.secondary] else { return }
      job.fail(
        RaceFailure(
          mediaIndex: media.index, primary: primary,
          secondary: job.flaw == .namesOneMirror ? primary : secondary))
    }
  }
}
