namespace Pile.Tests.Durability.Model;

/// <summary>What a slot shows: the generation of its newest record, and the payload; no payload when it is deleted, no
/// generation either when it has no record.</summary>
internal readonly record struct SlotState(int Generation, int Value)
{
    internal static SlotState Nothing => default;

    internal bool IsLive => Value != 0;

    public override string ToString() => IsLive
        ? $"object of generation {Generation} with {(Value == LogRecord.Garbage ? "a payload that nobody wrote" : $"payload {Value}")}"
        : Generation == 0 ? "no record" : $"deleted at generation {Generation}";
}
