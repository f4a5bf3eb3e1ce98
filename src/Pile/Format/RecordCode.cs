// The four-bit code of a record: which lane wrote it, and so which owner space it belongs to.
// Codes 8 to 14 are of the durable log, schemas and the cache.
namespace Pile.Format;

/// <summary>What a record holds. Four bits in the record word; the numbers are part of the format.</summary>
internal enum RecordCode : byte
{
    /// <summary>Never written; found only in damaged or unwritten space.</summary>
    Invalid = 0,

    /// <summary>Bytes as given.</summary>
    Bytes = 1,

    /// <summary>Text of chars up to U+00FF, one byte each.</summary>
    NarrowString = 2,

    /// <summary>Text as UTF-16 code units, little-endian, lone surrogates included.</summary>
    WideString = 3,

    /// <summary>One unmanaged value.</summary>
    Value = 4,

    /// <summary>A span of unmanaged values.</summary>
    Span = 5,

    /// <summary>An object by the general codec.</summary>
    Typed = 6,

    /// <summary>The descriptor of a large object (LargeDescriptor).</summary>
    Large = 7,

    /// <summary>Durable: the slot's object was deleted.</summary>
    Tombstone = 8,

    /// <summary>Durable: the header of a batch.</summary>
    Frame = 9,

    /// <summary>Durable: proof of a completed flush.</summary>
    Marker = 10,

    /// <summary>Durable: space without meaning.</summary>
    Filler = 11,

    /// <summary>The schema of a type.</summary>
    Schema = 12,

    /// <summary>A named root.</summary>
    Root = 13,

    /// <summary>An entry of a speculative cache table; its owner is a cache index, not the object table.</summary>
    Cache = 14,

    /// <summary>The real kind stands in the first payload byte (ExtendedKind).</summary>
    Extended = 15,
}
