import ClosureTaskOperations
import CoroutineOperations
import FutureOperations
import ReactiveStreamOperations
import ReferenceOperations
import RuntimeOperations
import SwiftConcurrencyOperations

#if AsyncAlgorithms
  import AsyncAlgorithmsRival
#endif
#if NIO
  import NIORival
#endif
#if OpenCombine
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

/// Whoever performs operations of a runtime, the reference first; reports and the command line follow this order.
public let runtimeContenders: [RuntimeContender] =
  [
    referenceOperations,
    closureTaskOperations,
    futureOperations,
    coroutineOperations,
    reactiveStreamOperations,
    swiftConcurrencyOperations,
  ] + rivals

/// Those whose traits are on; none in a default build.
private var rivals: [RuntimeContender] {
  var rivals: [RuntimeContender] = []
  #if AsyncAlgorithms
    rivals.append(asyncAlgorithmsOperations)
  #endif
  #if NIO
    rivals.append(nioOperations)
  #endif
  #if OpenCombine
    rivals.append(openCombineOperations)
  #endif
  #if PromiseKit
    rivals.append(promiseKitOperations)
  #endif
  #if RxSwift
    rivals.append(rxSwiftOperations)
  #endif
  #if SwiftCoroutine
    rivals.append(swiftCoroutineOperations)
  #endif
  return rivals
}
