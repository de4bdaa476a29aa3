import UploadScenario

/// Grand Central Dispatch: a group that is entered for each upload, and a private queue that guards the results.
public struct GCDGroupUploads: Contender {
  public let name = "gcd-groups"
  public let summary = "DispatchGroup enter, leave and notify on a private serial queue"

  public init() {}
}
