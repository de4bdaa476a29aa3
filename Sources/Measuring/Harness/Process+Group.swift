import Foundation

extension Process {
  /// Starts it; the group is empty once it has ended, or if it could not be started.
  ///
  /// `waitUntilExit` waits by the calendar, a twentieth of a second at a time: should that be set back by an hour in the
  /// middle, it waits for an hour.
  func run(in group: DispatchGroup) throws {
    terminationHandler = { _ in group.leave() }
    group.enter()
    do { try run() } catch {
      group.leave()
      throw error
    }
  }
}
