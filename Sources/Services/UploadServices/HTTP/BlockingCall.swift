import RawThreads
import Synchronization
import UploadScenario

/// Waits on the calling thread for the one answer that another thread gives.
final class BlockingCall: Sendable {
  private let answer = Mutex<Result<Receipt, any Error>?>(nil)
  private let parker = Parker()

  func end(with result: Result<Receipt, any Error>) {
    answer.withLock { $0 = result }
    parker.unpark()
  }

  func wait() -> Result<Receipt, any Error> {
    while true {
      if let result = answer.withLock({ $0 }) { return result }
      parker.park()
    }
  }
}
