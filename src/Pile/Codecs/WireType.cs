// The families of MessagePack values, by first byte.
// For readers that go over values without knowing what they should be.
namespace Pile.Codecs;

/// <summary>What a MessagePack value is.</summary>
internal enum WireType
{
    /// <summary>Nil, and the one byte that the format never uses.</summary>
    Nil,

    /// <summary>True or false.</summary>
    Bool,

    /// <summary>An integer.</summary>
    Integer,

    /// <summary>A float of 32 bits.</summary>
    Single,

    /// <summary>A float of 64 bits.</summary>
    Double,

    /// <summary>UTF-8 text.</summary>
    Text,

    /// <summary>Bytes.</summary>
    Binary,

    /// <summary>An array.</summary>
    Array,

    /// <summary>A map.</summary>
    Map,

    /// <summary>An extension.</summary>
    Extension,
}
