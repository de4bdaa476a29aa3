import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct TieGroupsTests {
  /// Items 0…4, best first; the pairs that are tied; the groups that follow.
  @Test(
    arguments: [
      ([], [1, 2, 3, 4, 5]),
      ([[0, 1]], [1, 1, 2, 3, 4]),
      ([[1, 2], [3, 4]], [1, 2, 2, 3, 3]),
      ([[0, 1], [1, 2]], [1, 1, 1, 2, 3]),
      ([[0, 3]], [1, 1, 1, 1, 2]),
      ([[0, 1], [0, 2], [0, 3], [0, 4]], [1, 1, 1, 1, 1]),
    ] as [([[Int]], [Int])])
  func inseparableItemsShareAGroup(ties: [[Int]], expected: [Int]) {
    let groups = TieGroups.groups(order: [0, 1, 2, 3, 4]) { !ties.contains([$0, $1]) }
    #expect((0..<5).map { groups[$0] } == expected)
  }

  @Test func groupsFollowTheOrderGivenNotTheIndex() {
    #expect(TieGroups.groups(order: [2, 0, 1]) { _, _ in true } == [2: 1, 0: 2, 1: 3])
  }

  @Test func nothingHasNoGroups() {
    #expect(TieGroups.groups(order: []) { _, _ in true }.isEmpty)
  }
}
