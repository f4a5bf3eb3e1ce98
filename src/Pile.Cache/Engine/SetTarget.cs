// Takes a value's payload and stores it under a key: what the typed lanes of the pile send to.
// A ref struct, because the key is a span.
using System;
using Pile.Cache.Entries;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Stores one payload.</summary>
internal ref struct SetTarget(FormatTable table, ReadOnlySpan<byte> key, EntryTerms terms, SetCondition condition, PileEntryVersion expected) : IPayloadTarget
{
    private readonly ReadOnlySpan<byte> _key = key;

    /// <summary>What became of it.</summary>
    internal PileSetResult Result;

    public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        Check.PayloadBytes(payload.Bytes);
        return table.Set(_key, code, payload, terms, condition, expected, out Result);
    }
}
