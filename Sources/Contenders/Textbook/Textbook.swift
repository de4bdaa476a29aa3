import UploadScenario

/// Contenders written as articles teach them, one in each file, measured beside the contender of the same idiom.
public let textbook: [any Contender] = [
  TextbookDispatchGroup(), TextbookClosureTask(), TextbookOperation(),
  TextbookTaskGroup(), TextbookAsyncLet(), TextbookSerialAwait(),
  TextbookZip(), TextbookBridge(), TextbookCoroutine(),
]

/// A contender written as an article teaches it, with the requirements that it breaks.
protocol TextbookShape: PartialContender {}

extension TextbookShape {
  var brokenRequirements: [BrokenRequirement] { breaks[name] ?? [] }
}

/// The handle of a job that the article's code cannot cancel.
final class NoHandle: Cancellable {
  func cancel() {}
}
