import CallbackUploads
import ClosureTaskUploads
import CoroutineUploads
import FutureUploads
import GCDGroupUploads
import OperationUploads
import ReactiveStreamUploads
import SwiftConcurrencyUploads
import UploadScenario

#if AsyncAlgorithms
  import AsyncAlgorithmsRival
#endif
#if NIO
  import NIORival
#endif
#if OpenCombine || canImport(Combine)
  import OpenCombineRival
#endif
#if PromiseKit
  import PromiseKitRival
#endif
#if RxSwift
  import RxSwiftRival
#endif
#if SwiftCoroutine
  import SwiftCoroutineRival
#endif

/// Every contender, the floor first and rivals last; reports and the command line follow this order.
public let contenders: [any Contender] = ours + rivals

/// Other common spellings of the contenders' idioms, by module; measured on request.
public let variants: [any Contender] =
  GCDGroupUploads.variants
  + ClosureTaskUploads.variants
  + OperationUploads.variants
  + FutureUploads.variants
  + CoroutineUploads.variants
  + ReactiveStreamUploads.variants
  + SwiftConcurrencyUploads.variants

private let ours: [any Contender] = [
  CallbackUploads(),
  GCDGroupUploads(),
  ClosureTaskUploads(),
  OperationUploads(),
  FutureUploads(),
  CoroutineUploads(),
  ReactiveStreamUploads(),
  SwiftConcurrencyUploads(),
]

/// Other people's runtimes, as long as their traits are on.
private let rivals: [any Contender] = {
  var rivals: [any Contender] = []
  #if AsyncAlgorithms
    rivals.append(AsyncAlgorithmsUploads())
  #endif
  #if NIO
    rivals.append(NIOUploads())
  #endif
  #if OpenCombine || canImport(Combine)
    rivals.append(OpenCombineUploads())
  #endif
  #if PromiseKit
    rivals.append(PromiseKitUploads())
  #endif
  #if RxSwift
    rivals.append(RxSwiftUploads())
  #endif
  #if SwiftCoroutine
    rivals.append(SwiftCoroutineUploads())
  #endif
  return rivals
}()
