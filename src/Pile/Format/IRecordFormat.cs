// The seam between the two record formats: what follows word 0, and how many bytes the header takes.
// Used as a generic parameter constrained to struct, so that each engine is compiled for its own format.
using System;

namespace Pile.Format;

/// <summary>One of the two record formats.</summary>
internal interface IRecordFormat
{
    /// <summary>Bytes before the payload, word 0 included; a multiple of 8.</summary>
    static abstract int HeaderBytes { get; }

    /// <summary>Bytes at the beginning of a segment that are no record.</summary>
    static abstract int SegmentHeaderBytes { get; }

    /// <summary>Whether the header carries version, generation and checks.</summary>
    static abstract bool IsDurable { get; }

    /// <summary>Writes the header after word 0. The caller stores word 0 last, with release.</summary>
    /// <param name="rest">HeaderBytes - 8 bytes.</param>
    /// <param name="word0">The record word.</param>
    /// <param name="payloadSum">The payload's checksum, by <see cref="PayloadSum"/>.</param>
    /// <param name="stamp">The durable facts.</param>
    static abstract void WriteRest(Span<byte> rest, ulong word0, uint payloadSum, in RecordStamp stamp);

    /// <summary>Rewrites what depends on the record's place after it was copied; the payload's checksum is never recomputed.</summary>
    static abstract void Restamp(Span<byte> rest, ulong word0, in RecordStamp stamp);
}
