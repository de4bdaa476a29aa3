import Synchronization
import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct PostDetailsTests {
  private func details(of post: Post) throws -> PostDetails {
    let found = Mutex<(Author?, Place?, Audience?)>((nil, nil, nil))
    _ = AnsweringService().author(of: post) { result in found.withLock { $0.0 = try? result.get() } }
    _ = AnsweringService().place(of: post) { result in found.withLock { $0.1 = try? result.get() } }
    _ = AnsweringService().audience(of: post) { result in found.withLock { $0.2 = try? result.get() } }
    let (author, place, audience) = found.withLock { $0 }
    return PostDetails(
      author: try #require(author), place: try #require(place), audience: try #require(audience))
  }

  private func isCreated(_ post: Post, from details: PostDetails) -> Bool {
    let isCreated = Mutex(false)
    _ = AnsweringService().createPost(post, details: details) { result in
      isCreated.withLock { $0 = (try? result.get()) != nil }
    }
    return isCreated.withLock { $0 }
  }

  @Test func `a post is created from its own details only`() throws {
    let (post, other) = (Post(id: 1, media: []), Post(id: 2, media: []))
    #expect(try isCreated(post, from: details(of: post)))
    #expect(try !isCreated(post, from: details(of: other)))
    var mixed = try details(of: post)
    mixed = PostDetails(author: mixed.author, place: try details(of: other).place, audience: mixed.audience)
    #expect(!isCreated(post, from: mixed))
  }
}

/// Answers everything at once, and creates every post.
struct AnsweringService: UploadService {
  private final class Handle: Cancellable { func cancel() {} }

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    completion(.success(request.receipt))
    return Handle()
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    completion(.success(Publication(postID: post.id, receipts: receipts)))
    return Handle()
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { media.expectedReceipt }
  func prepare(_ media: Media) throws -> PreparedMedia { try PreparedMedia(media, passes: 1) }
  func chunks(of media: Media) throws -> ChunkReader { try ChunkReader(media, chunkBytes: 8) }
}
