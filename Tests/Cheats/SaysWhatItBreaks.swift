import CallbackUploads
import UploadScenario

/// Uploads like callbacks, and declares, rightly or not, that it ignores the limit.
struct SaysWhatItBreaks: PartialContender {
  let name: String
  let ignoresTheLimit: Bool
  let summary = "says that it ignores the limit"
  let patterns = [Pattern.publish]
  let brokenRequirements = [BrokenRequirement("limit", in: [.publish], because: "it ignores the limit")]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    CallbackUploads().publish(post, to: service, limit: ignoresTheLimit ? nil : limit, completion: completion)
  }
}
