using System;

namespace Pile.Tests.Durability.Model;

/// <summary>What pile.meta says. Two alternating checksummed slots make its change whole or none.</summary>
internal readonly record struct MetaWord
{
    /// <summary>Nothing was written since the last close.</summary>
    internal bool IsClean { get; init; }

    /// <summary>The boot that the machine is in now is the one noted here.</summary>
    internal bool IsBootNoted { get; init; }

    /// <summary>A sync failed in this boot.</summary>
    internal bool IsSyncFailed { get; init; }

    internal bool HasCheckpoint { get; init; }

    /// <summary>How many times a power cut was recovered from.</summary>
    internal int Recoveries { get; init; }

    /// <summary>Segments of a lower sequence were cleared.</summary>
    internal int FirstSequence { get; init; }

    /// <summary>The floor of generations that the last Clear left, all slots being of one table page.</summary>
    internal int Floor { get; init; }

    internal static MetaWord Unpack(ulong bits) => new()
    {
        IsClean = (bits & 1) != 0,
        IsBootNoted = (bits & 2) != 0,
        IsSyncFailed = (bits & 4) != 0,
        HasCheckpoint = (bits & 8) != 0,
        Recoveries = (int)(bits >> 4) & 7,
        FirstSequence = (int)(bits >> 7) & 31,
        Floor = (int)(bits >> 12) & 15,
    };

    internal ulong Pack() => Recoveries > 7 || FirstSequence > 31 || Floor > 15
        ? throw new InvalidOperationException($"{this} is beyond what the model can write down")
        : (IsClean ? 1UL : 0) | (IsBootNoted ? 2UL : 0) | (IsSyncFailed ? 4UL : 0) | (HasCheckpoint ? 8UL : 0)
            | ((ulong)Recoveries << 4) | ((ulong)FirstSequence << 7) | ((ulong)Floor << 12);
}
