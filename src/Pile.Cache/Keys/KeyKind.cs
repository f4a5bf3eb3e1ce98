// How keys of a type become bytes.
// Decided once per type, by KeyCodec.
namespace Pile.Cache.Keys;

/// <summary>Kind of a key type.</summary>
internal enum KeyKind
{
    /// <summary>An unmanaged value without padding: its bytes as they are.</summary>
    Raw,

    /// <summary>An unmanaged value with padding, which is cleared.</summary>
    Padded,

    /// <summary>A string.</summary>
    Text,

    /// <summary>An array of bytes.</summary>
    Bytes,

    /// <summary>Any other type, by its codec.</summary>
    Codec,
}
