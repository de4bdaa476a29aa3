import UploadScenario

extension Rule {
  static let blocksOffTheCaller = Rule(
    "blocks-off-the-caller", "What blocks its thread blocks another one than the caller's.", in: [.blocking],
    isSpecial: true)
}

extension Script {
  static let blocking: [Script] = [
    Script(.blocksOffTheCaller) { $0.publish([3], .forward) }
  ]
}
