// The exception of PileStatus.Refused: an object graph holds something that can't be kept. Apart from its base so that it can
// be caught alone. Nothing was stored when it is thrown.
namespace Pile;

/// <summary>An object can't be stored, because of what it is or holds. <see cref="GraphPath"/> leads to it.</summary>
public sealed class PileRefusedException : PileException
{
    internal PileRefusedException(string message, object? offender, string graphPath = "")
        : base(PileStatus.Refused, message)
    {
        Offender = offender;
        GraphPath = graphPath;
    }

    /// <summary>The way from the root to what is refused, for example <c>Order.Lines[3].Handler</c>.</summary>
    public string GraphPath { get; }

    internal object? Offender { get; }

    /// <summary>Whether it was only for want of levels: where objects around it are put off sooner, it may fit.</summary>
    internal bool IsTooDeep { get; init; }
}
