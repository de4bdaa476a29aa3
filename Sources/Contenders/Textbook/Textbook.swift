import UploadScenario

/// The shapes that articles teach, a file each, to be measured beside the contender of the same idiom.
public let textbook: [any Contender] = [
  TextbookDispatchGroup(), TextbookClosureTask(), TextbookOperation(),
  TextbookTaskGroup(), TextbookAsyncLet(), TextbookSerialAwait(),
  TextbookZip(), TextbookBridge(), TextbookCoroutine(),
]

/// A shape as its article teaches it, with what that breaks.
protocol TextbookShape: PartialContender {}

extension TextbookShape {
  var brokenRequirements: [BrokenRequirement] { breaks[name] ?? [] }
}

/// The handle of what its article cannot cancel.
final class NoHandle: Cancellable {
  func cancel() {}
}
