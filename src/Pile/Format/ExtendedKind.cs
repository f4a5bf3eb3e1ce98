// Kinds of records whose code is Extended: the first payload byte. Room for what four bits can't name.
// Kind 0 is not used, so that a payload of zeros is never taken for an object.
namespace Pile.Format;

/// <summary>First payload byte of an extended record; the numbers are part of the format.</summary>
internal enum ExtendedKind : byte
{
    /// <summary>An object by a registered IPileCodec: kind 8 | zero 24 | codec id 32 | the codec's bytes.</summary>
    Codec = 1,

    /// <summary>An entry of a durable table in files: kind 8 | era 10 | tag 14 | low half of the key's hash 32 (KeyedPrefix), then head, key and
    /// value (KeyedHead).</summary>
    CacheEntry = 2,

    /// <summary>A large value that an entry of a cache table owns: kind 8 | zero 24 | table 32 | the value.</summary>
    CacheValue = 3,

    /// <summary>The mark of an object that entries of a cache share, which is the cache's since: kind 8 | zero 56 | the object's pointer 64.</summary>
    CacheMark = 4,
}
