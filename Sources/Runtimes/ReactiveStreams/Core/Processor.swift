/// A subscriber that publishes what it makes of its input.
///
/// It obeys the rules of both sides: demand and cancellation go up as its subscribers', or its sharing policy, say
/// (rule 4.1), and a failure goes down at once, asked for or not (rule 4.2). Operators are processors that are
/// made anew for each subscriber, so they show themselves as publishers only; a subject is one that is there
/// before either side.
public protocol Processor<Input, Output, Failure>: Publisher, Subscriber {}
