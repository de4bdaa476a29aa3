/// What a mutant does wrong.
enum Flaw: String, CaseIterable, Sendable {
  case forgetsOneArrival, keepsOrderOfArrival, cancelsNothing, postsAfterAFailure, completesTwice,
    leaksOnCancel
  case exceedsTheLimitByOne, startsAfterAFailure, swallowsCancel, ignoresARefusedPost, retriesRefusals
  case triesOnceTooOften, neverRetries, ignoresTheAttemptDeadline, ignoresTheDeadline, skipsTheBackoff
  case reportsTheFirstError, keepsTheLoser, startsTheSecondAtOnce, losesWithOneMirror, namesOneMirror
  case readsTheWholeMedia, preparesOutsideTheLimit, preparesOnTheCaller, readsOnTheCaller, guessesTheURL
  case preparesTheUrgentOnTheCaller, overfillsWhatCanWait
  case leaksTheTimer, completesBeforeCancelling, postsEarly, uploadsTwice
  case oneAfterAnother, diesWithItsHandle, keepsThePost, leavesTheProducerWaiting
  case preparesTwice, usesWhatWasAbandoned, locksAllPosts, locksWhilePreparing, locksItsCancel,
    exceedsALimitOf47, cancelsFortyFirst
  case waitsAfterTheLastAttempt, hedgesUntilTheLastIsTaken
  case cancelsLateAfterAFailedRead, forgetsThePostAtTheDeadline, countsLateFailures, blocksOnceMore,
    beatsOnceMore
  case beatsOn, beatsInParallel, neverBeats, beatsSlowly
}
