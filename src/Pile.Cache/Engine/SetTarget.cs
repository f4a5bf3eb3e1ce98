// Takes a value's payload and stores it under a key: what the typed lanes of the pile send to.
// A ref struct, because the key is a span.
using Pile.Cache.Entries;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Stores one payload.</summary>
internal ref struct SetTarget<TFormat>(TableCore<TFormat> table, EntryKey key, EntryTerms terms, SetCondition condition, PileEntryVersion expected) : IPayloadTarget
    where TFormat : struct, IRecordFormat
{
    private readonly EntryKey _key = key;

    /// <summary>What became of it.</summary>
    internal PileSetResult Result;

    public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        Check.PayloadBytes(payload.Bytes);
        return table.Writes.Set(_key, code, payload, terms, condition, expected, out Result);
    }
}
