// What may stand in a place of a given static type. Stored in schemas, so that old bytes can be read without today's types.
// It names the wire, not the CLR: an enum is its underlying integer.
namespace Pile.Codecs;

/// <summary>The form of a value in its place; the numbers are part of the format.</summary>
internal enum WireKind : byte
{
    /// <summary>Nothing can be kept there: nil only.</summary>
    Refused = 0,
    Bool = 1,
    SByte = 2,
    Byte = 3,
    Int16 = 4,
    UInt16 = 5,
    Int32 = 6,
    UInt32 = 7,
    Int64 = 8,
    UInt64 = 9,
    Char = 10,
    Single = 11,
    Double = 12,

    /// <summary>Nil, text or REF.</summary>
    Text = 13,
    DateTime = 14,
    DateTimeOffset = 15,
    Guid = 16,
    Decimal = 17,
    BigInteger = 18,
    Int128 = 19,
    UInt128 = 20,

    /// <summary>Ticks.</summary>
    TimeSpan = 21,

    /// <summary>The number of the day.</summary>
    DateOnly = 22,

    /// <summary>Ticks.</summary>
    TimeOnly = 23,

    /// <summary>The scalar value.</summary>
    Rune = 24,

    /// <summary>The value, its complement when counted from the end.</summary>
    Index = 25,

    /// <summary>The 16 bits.</summary>
    Half = 26,

    /// <summary>Nil, a tagged array, plain text, bool, int32, double or bytes, a block, REF or FWD.</summary>
    Any = 27,

    /// <summary>Nil, an array without tag, a block, REF or FWD: the type is known.</summary>
    Exact = 28,

    /// <summary>An array without tag: a struct whose type is known.</summary>
    Inline = 29,

    /// <summary>Added to the kind of a nullable value: nil as well.</summary>
    Nullable = 64,
}
