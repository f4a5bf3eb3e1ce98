// Which events a watch tells, and from where on.
// How many events are kept for slow readers is the table's: PileTableOptions.EventBytes.
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>Options of a watch.</summary>
public sealed record PileWatchOptions
{
    /// <summary>The kinds that are told; all unless set. Lost is told always.</summary>
    public PileEventKinds Kinds { get; init; } = PileEventKinds.All;

    /// <summary>The event after which to go on; null for what comes from now on. Where events after it are not kept any more, the first event
    /// is Lost, and says how many; of a stream that is no more it says -1, and the watch begins now.</summary>
    public PileEventPosition? After { get; init; }

    /// <summary>Checks the ranges.</summary>
    internal void Validate()
    {
        if (Kinds == PileEventKinds.None || (Kinds & ~(PileEventKinds.All | PileEventKinds.Lost)) != 0)
        {
            Throw.Argument("options", Kinds, $"PileWatchOptions.{nameof(Kinds)} must be one or more of {PileEventKinds.All}.");
        }
    }
}
