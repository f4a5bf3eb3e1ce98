namespace Pile.Tests.Durability.Model;

/// <summary>One change of a call: a call has one, a batch two.</summary>
internal readonly record struct Member(RecordKind Kind, bool IsPut, int Slot, int Generation, int Version, int Value)
{
    internal SlotState State => new(Generation, Kind == RecordKind.Tombstone ? 0 : Value);

    internal LogRecord Record(int sequence, bool isMember) => new(Kind, Slot, Generation, Version, Value, sequence, IsMember: isMember);

    internal static Member Unpack(ulong bits)
    {
        LogRecord record = LogRecord.Unpack(bits >> 1);
        return new Member(record.Kind, (bits & 1) != 0, record.Slot, record.Generation, record.Version, record.Value);
    }

    internal ulong Pack() => (Record(0, false).Pack() << 1) | (IsPut ? 1UL : 0);

    public override string ToString() =>
        $"{(IsPut ? "put" : Kind == RecordKind.Tombstone ? "delete" : "update")} of slot {Slot}, generation {Generation}, version {Version}"
        + (Kind == RecordKind.Tombstone ? "" : $", payload {Value}");
}
