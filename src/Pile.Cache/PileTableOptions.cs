// What a table is made with. Checked once, when the table is made.
// The name and the types are the arguments of GetOrCreateTable, everything else is here.
using System;
using System.Linq;
using Pile.Cache.Keys;
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>Options of a table.</summary>
public sealed record PileTableOptions
{
    /// <summary>Whether entries may be evicted; Speculative unless set.</summary>
    public PileTableKind Kind { get; init; } = PileTableKind.Speculative;

    /// <summary>What makes two keys the same; their bytes unless set.</summary>
    public IPileKeyComparer Comparer { get; init; } = PileKeyComparers.Ordinal;

    /// <summary>How long entries live that are stored without another end; null for ever.</summary>
    public TimeSpan? DefaultTimeToLive { get; init; }

    /// <summary>The priority of entries that are stored without one; Normal unless set.</summary>
    public PileCachePriority DefaultPriority { get; init; } = PileCachePriority.Normal;

    /// <summary>The most entries that the table holds, 1 or more: beyond, it evicts its own, within one entry for each thread that stores.
    /// Only for speculative tables. Null: no limit of its own.</summary>
    public long? MaximumEntries { get; init; }

    /// <summary>The most bytes of records that the table holds, 1 or more: beyond, it evicts its own, within one entry for each thread that
    /// stores. Only for speculative tables. Null: no limit of its own.</summary>
    public long? MaximumBytes { get; init; }

    /// <summary>Bytes of records up to which nothing of the table is evicted for the sake of others, <see cref="MaximumBytes"/> at most; 0 unless set.</summary>
    public long MinimumBytes { get; init; }

    /// <summary>Entries for which the index is made ready, so that it need not grow on the way there; 0 unless set. It takes about a third of the limit
    /// or half of what is free at most, however many they are, and what stays unused goes back within moments, in the background.</summary>
    public long InitialCapacity { get; init; }

    /// <summary>Bytes of managed memory for the events of the table, 65,536 to 1,073,741,824, 1,048,576 unless set: held while anybody watches it
    /// (<see cref="PileTableWatches"/>), for all who do. An event takes 24, of Replaced 40, and its key. Who falls further behind is told how many it has lost.</summary>
    public int EventBytes { get; init; } = CacheLimits.EventBytes;

    /// <summary>How GetOrAdd behaves where a call has no options of its own; null for the defaults.</summary>
    public PileFactoryOptions? Factory { get; init; }

    /// <summary>Whether a durable table of a directory is taken although some of its keys were stored by another version of their type, and are other bytes than those
    /// of equal keys of today: <see cref="PileTableItems.Enumerate"/> lists them, but no lookup finds those, and <c>Set</c> stores beside them. To keep such
    /// entries list them into a table of another name, and drop this one. False unless set: the table is refused, as it is where no key can be read as its type is
    /// today, a struct that was a class: the type as it was lists them. Speculative ones are always taken.</summary>
    /// <remarks>Up to 64 stored keys are read, and written again, to tell; of one with a type that the program has not shown the stored fields alone are looked at. A key whose [OnDeserialized] changes what is stored of it comes out as other bytes, too.</remarks>
    public bool TakesFormerKeys { get; init; }

    /// <summary>The table's name, set when it is made.</summary>
    internal string Name { get; init; } = string.Empty;

    /// <summary>Name of the type of keys, set when the table is made in files.</summary>
    internal string KeyType { get; init; } = string.Empty;

    /// <summary>Name of the type of values, set when the table is made in files.</summary>
    internal string ValueType { get; init; } = string.Empty;

    /// <summary>Names of the options in which others differ that a table of these was asked for by; empty for none.</summary>
    /// <remarks>Functions are compared as objects, and so are lists of tags.</remarks>
    internal string NamesOfOthers(PileTableOptions asked)
    {
        (string Name, bool Differs)[] all =
        [
            (nameof(DefaultTimeToLive), DefaultTimeToLive != asked.DefaultTimeToLive),
            (nameof(DefaultPriority), DefaultPriority != asked.DefaultPriority),
            (nameof(MaximumEntries), MaximumEntries != asked.MaximumEntries),
            (nameof(MaximumBytes), MaximumBytes != asked.MaximumBytes),
            (nameof(MinimumBytes), MinimumBytes != asked.MinimumBytes),
            (nameof(EventBytes), EventBytes != asked.EventBytes),
            (nameof(Factory), Factory != asked.Factory),
        ];
        return string.Join(", ", all.Where(static option => option.Differs).Select(static option => option.Name));
    }

    /// <summary>Checks the ranges.</summary>
    internal void Validate()
    {
        RefuseUnless(Enum.IsDefined(Kind), nameof(Kind), Kind, "one of Speculative and Durable");
        RefuseUnless(Enum.IsDefined(DefaultPriority), nameof(DefaultPriority), DefaultPriority, "Low, Normal, High or NeverRemove");
        ArgumentNullException.ThrowIfNull(Comparer);
        NameText.Require(nameof(Comparer), "A comparer's", Comparer.Name);
        RefuseUnless(DefaultTimeToLive is not { } life || life > TimeSpan.Zero, nameof(DefaultTimeToLive), DefaultTimeToLive, "more than zero");
        RefuseUnless(MaximumEntries is not < 1, nameof(MaximumEntries), MaximumEntries, "1 or more");
        RefuseUnless(MaximumBytes is not < 1, nameof(MaximumBytes), MaximumBytes, "1 or more");
        RefuseUnless(MinimumBytes >= 0, nameof(MinimumBytes), MinimumBytes, "0 or more");
        RefuseUnless(MinimumBytes <= (MaximumBytes ?? long.MaxValue), nameof(MinimumBytes), MinimumBytes, $"{MaximumBytes:N0} (MaximumBytes) or less: the table evicts its own entries beyond that");
        RefuseUnless(InitialCapacity >= 0, nameof(InitialCapacity), InitialCapacity, "0 or more");
        RefuseUnless(EventBytes is >= CacheLimits.EventBytesMin and <= CacheLimits.EventBytesMax, nameof(EventBytes), EventBytes, $"{CacheLimits.EventBytesMin:N0} to {CacheLimits.EventBytesMax:N0}");
        Factory?.Validate();
        RefuseUnless(
            Kind == PileTableKind.Speculative || (MaximumEntries is null && MaximumBytes is null),
            nameof(Kind),
            Kind,
            "Speculative where MaximumEntries or MaximumBytes is set: a durable table evicts nothing");
    }

    private static void RefuseUnless(bool isGood, string name, object? value, string allowed)
    {
        if (!isGood)
        {
            Throw.Argument(name, value, $"PileTableOptions.{name} must be {allowed}.");
        }
    }
}
