import Dispatch
import ReactiveStreams
import UploadScenario

/// Zipped publishers and a stored sink that receives on a queue. `Zip3` zips three publishers, `ZipMany` any number.
struct TextbookZip: TextbookShape {
  let name = "textbook/zip"
  let summary = "an article's zip: Zip3 and ZipMany, flatMap, receive(on:), sink, store(in:)"
  let patterns = [Pattern.publish, .zip]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let uploads = post.media.map { media in publisher { service.upload(media, completion: $0) } }
    if uploads.isEmpty { return NoHandle() }
    return Screen().show(
      Publishers.ZipMany(uploads).flatMap { receipts in
        publisher { service.createPost(post, receipts: receipts, completion: $0) }
      }, completion)
  }

  func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion) -> any Cancellable
  {
    let details = Publishers.Zip3(
      publisher { service.author(of: post, completion: $0) },
      publisher { service.place(of: post, completion: $0) },
      publisher { service.audience(of: post, completion: $0) })
    return Screen().show(
      details.flatMap { author, place, audience in
        let details = PostDetails(author: author, place: place, audience: audience)
        return publisher { service.createPost(post, details: details, completion: $0) }
      }, completion)
  }
}

/// The owner of the sink, whose release cancels the subscription. Invariant of `@unchecked Sendable`: the set is written before
/// any other code can refer to this object.
private final class Screen: UploadScenario.Cancellable, @unchecked Sendable {
  private var cancellables = Set<AnyCancellable>()

  func show(_ publication: some Publisher<Publication, any Error>, _ completion: @escaping Completion)
    -> Screen
  {
    publication
      .receive(on: DispatchQueue.global())
      .sink { end in
        if case .failure(let error) = end { completion(.failure(error)) }
      } receiveValue: { publication in
        completion(.success(publication))
      }
      .store(in: &cancellables)
    return self
  }

  func cancel() { for cancellable in cancellables { cancellable.cancel() } }
}
