import UploadScenario

/// A service whose requests are recorded while the recorder is on; another one does the work.
struct TracingService: UploadService {
  let base: any UploadService
  let recorder: PostRecorder

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    guard recorder.isOn else { return base.perform(request, completion: completion) }
    let number = recorder.willAsk(request.ledgerIndex)
    defer { recorder.hasAsked(number) }
    return base.perform(request, completion: recorded(number, completion))
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    guard recorder.isOn else { return base.createPost(post, receipts: receipts, completion: completion) }
    let number = recorder.willAsk(-1)
    defer { recorder.hasAsked(number) }
    return base.createPost(post, receipts: receipts, completion: recorded(number, completion))
  }

  private func recorded<Value>(_ number: Int, _ completion: @escaping Callback<Value>) -> Callback<Value> {
    { [recorder] result in
      recorder.isAnswered(number)
      completion(result)
      recorder.hasAnswered(number)
    }
  }

  func uploadBlocking(_ media: Media) throws -> Receipt {
    guard recorder.isOn else { return try base.uploadBlocking(media) }
    let number = recorder.willAsk(Request.upload(media).ledgerIndex)
    defer {
      recorder.isAnswered(number)
      recorder.hasAnswered(number)
      recorder.hasAsked(number)
    }
    return try base.uploadBlocking(media)
  }

  func prepare(_ media: Media) throws -> PreparedMedia { try base.prepare(media) }

  func chunks(of media: Media) throws -> ChunkReader { try base.chunks(of: media) }
}
