import UploadScenario

extension SwiftConcurrencyUploads {
  public func on(_ context: CompletionContext) -> (any Contender)? {
    switch context {
    case self.context: self
    case .inline:
      Self(name: name(in: context), on: InlineExecutor.shared, computingOn: globalConcurrentExecutor, context)
    case .queue:
      Self(name: name(in: context), on: QueueExecutor(), computingOn: globalConcurrentExecutor, context)
    case .pool: Self()
    }
  }
}
