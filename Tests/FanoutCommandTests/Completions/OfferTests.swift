import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct OfferTests {
  @Test(
    arguments: [
      (Option("--contenders", "A,B", ""), .contenders, true),
      (Option("--reference", "NAME", ""), .contenders, false),
      (Option("--media", "DIR", ""), .folders, false),
      (Option("--against", "BUILD", ""), .files, false),
      (Option("--measure", "cost|wall", ""), .words(["cost", "wall"]), false),
      (Option("--order", "A,B", "", words: ["up", "down"]), .words(["up", "down"]), true),
      (Option("--quick", nil, ""), .nothing, false),
      (Option("--limit", "K", ""), .nothing, false),
    ] as [(Option, Offer, Bool)])
  func `an option's value decides what a shell offers`(option: Option, offer: Offer, isList: Bool) {
    #expect(option.offer == offer)
    #expect(option.isList == isList)
  }
}
