#if AsyncAlgorithms
  import AsyncAlgorithms
  import UploadScenario

  /// swift-async-algorithms: a channel hands the media to as many workers as may upload at once.
  public struct AsyncAlgorithmsUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "async-algorithms"
    public let summary = "swift-async-algorithms: an AsyncChannel that workers of a task group iterate"

    public init() {}

    /// Runs `body` in a task that the handle cancels.
    func start(
      _ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication
    ) -> any Cancellable {
      TaskHandle(
        task: Task {
          let result: Result<Publication, any Error>
          do { result = .success(try await body()) } catch { result = .failure(error) }
          completion(result)
        })
    }
  }

  private final class TaskHandle: Cancellable {
    private let task: Task<Void, Never>

    init(task: Task<Void, Never>) { self.task = task }

    func cancel() { task.cancel() }
  }
#endif
