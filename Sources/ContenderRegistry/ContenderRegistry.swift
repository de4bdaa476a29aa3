import CallbackUploads
import ClosureTaskUploads
import CoroutineUploads
import FutureUploads
import GCDGroupUploads
import OperationUploads
import ReactiveStreamUploads
import SwiftConcurrencyUploads
import UploadScenario

/// Every contender, the floor first; reports and the command line follow this order.
public let contenders: [any Contender] = [
  CallbackUploads(),
  GCDGroupUploads(),
  ClosureTaskUploads(),
  OperationUploads(),
  FutureUploads(),
  CoroutineUploads(),
  ReactiveStreamUploads(),
  SwiftConcurrencyUploads(),
]
