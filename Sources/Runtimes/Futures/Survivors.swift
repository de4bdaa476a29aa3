/// The observers of a list that are still of use, newest first, and those that are not. It owns the list's
/// references to both.
struct Survivors {
  private(set) var newest = ObserverLink.end
  private(set) var waitingCount = 0
  private var dropped = ObserverLink.end
  private var hasTakenOutReceiver = false

  /// Divides a list; a receiver at its end is taken out if it is `withdrawn`.
  init(of list: ObserverLink, without withdrawn: AnyFuture) {
    var link = list
    var oldest = ObserverLink.end
    while link.isNode {
      let node = link
      node.target._withUnsafeGuaranteedRef {
        link = $0.link
        if $0.isWithdrawn {
          $0.link = dropped
          dropped = node
        } else {
          if $0.isWanting { waitingCount += 1 }
          append(node, to: oldest)
          oldest = node
        }
      }
    }
    var end = ObserverLink.end
    if link.isReceiver {
      hasTakenOutReceiver = link.bits == ObserverLink(receiver: withdrawn).bits
      if !hasTakenOutReceiver {
        waitingCount += 1
        end = link
      }
    }
    append(end, to: oldest)
  }

  private mutating func append(_ link: ObserverLink, to oldest: ObserverLink) {
    if oldest.isEnd { newest = link } else { oldest.target._withUnsafeGuaranteedRef { $0.link = link } }
  }

  /// Lets go of the others. May run foreign deinitialisers, so never under a flag.
  /// - Parameter withdrawn: as it was given to the initialiser.
  func releaseDropped(and withdrawn: AnyFuture) {
    var link = dropped
    while link.isNode {
      let node = link.target
      node._withUnsafeGuaranteedRef {
        link = $0.link
        $0.link = .end
        $0.forgetStep()
      }
      node.release()
    }
    if hasTakenOutReceiver, withdrawn.forgetSource() { Unmanaged.passUnretained(withdrawn).release() }
  }
}
