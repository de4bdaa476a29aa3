import UploadScenario

extension SwiftConcurrencyUploads {
  public func on(_ context: CompletionContext) -> (any Contender)? {
    if context == self.context { return self }
    var there = Self()
    if context == there.context { return there }
    there.name = there.name(in: context)
    there.summary += ", on a task executor: \(context.summary)"
    there.context = context
    there.executor = context == .inline ? InlineExecutor.shared : QueueExecutor()
    there.computingExecutor = globalConcurrentExecutor
    return there
  }
}
