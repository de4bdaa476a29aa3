#if RxSwift
  import RxSwift
  import UploadScenario

  /// RxSwift: uploads are singles, merged as they arrive, gathered and put in order.
  public struct RxSwiftUploads: PartialContender {
    /// No `stream`: an observable cannot be told to wait, so its chunks would all lie in memory.
    public let patterns = Pattern.allCases.filter { $0 != .stream }
    public let name = "rx-swift"
    public let summary = "RxSwift: singles merged up to a limit, gathered by toArray and sorted"

    public init() {}
  }

  extension ObservableType where Element == Receipt {
    /// All of them, in the order of their media.
    func inOrder() -> Single<[Receipt]> {
      toArray().map { $0.sorted { $0.mediaIndex < $1.mediaIndex } }
    }
  }
#endif
