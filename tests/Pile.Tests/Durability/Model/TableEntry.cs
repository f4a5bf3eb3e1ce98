namespace Pile.Tests.Durability.Model;

/// <summary>An entry of the object table: where the slot's current record is. A free one keeps the place and the generation of its
/// tombstone.</summary>
internal readonly record struct TableEntry(bool IsLive, int Generation, bool HasPlace, Spot Spot)
{
    internal static TableEntry Of(LogRecord record, Spot spot) => new(record.Kind == RecordKind.Object, record.Generation, true, spot);

    internal static TableEntry Unpack(ulong bits) =>
        new((bits & 1) != 0, (int)(bits >> 2) & 15, (bits & 2) != 0, Spot.Unpack((int)(bits >> 6)));

    /// <summary>Whether the entry says that the current record stands there.</summary>
    internal bool IsAt(Spot spot) => HasPlace && Spot == spot;

    internal ulong Pack() => (IsLive ? 1UL : 0) | (HasPlace ? 2UL : 0) | ((ulong)Generation << 2) | ((ulong)Spot.Pack() << 6);
}
