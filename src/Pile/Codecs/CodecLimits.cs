// What is chosen about codecs: nesting, identities, what reading may ask for, versions of types. Each with its reason.
// How the bytes of an object are laid out is not here, but in WireCode and in those who write by it.
namespace Pile.Codecs;

/// <summary>Named limits of <c>src/Pile/Codecs</c>.</summary>
internal static class CodecLimits
{
    /// <summary>A staging buffer above this goes back to the shared pool after each use.</summary>
    internal const int StagingBytesKept = 1 << 20;

    /// <summary>Levels of MessagePack nesting in anything the codec writes or reads: common readers refuse 500, careful ones 100.</summary>
    internal const int NestingMax = 64;

    /// <summary>Objects that were gone over and are read inside each other, each with a nesting of its own: some hundred kilobytes of stack.</summary>
    internal const int SkippedNestingMax = 8;

    /// <summary>Levels left below the cap for values that must stand where they are: a text or a name inside its own array.</summary>
    internal const int NestingReserve = 2;

    /// <summary>Levels left below the cap when a graph is written once more, because something that must stand where it is did not fit: what holds it is
    /// put off sooner. The rest is enough for whatever can be put off.</summary>
    internal const int NestingSpare = 40;

    /// <summary>What is gone over again for frozen collections that lead to objects which are still being read, as a multiple of the stored bytes: a
    /// hundred collections in a row have all that is around them, and thousands cost no square of their number.</summary>
    internal const int WalkExpansionMax = 64;

    /// <summary>Strings of fewer chars are written again instead of referred to: a reference costs about as much.</summary>
    internal const int TrackedStringChars = 64;

    /// <summary>Objects of a graph that are looked up in a row; beyond, by their hash code, which costs more to make.</summary>
    internal const int IdentitiesInRow = 32;

    /// <summary>Collections during one graph after which objects are found by hash codes: building the table anew each time would
    /// cost more.</summary>
    internal const int IdentityRebuildsMax = 8;

    /// <summary>By how much an identity map grows at once where the graph before was large: it need not be built anew as often, and
    /// a small graph pays little for room that it does not use.</summary>
    internal const int IdentityGrowthMax = 16;

    /// <summary>The largest Order of a contract's member: places without a member take a byte each in every object.</summary>
    internal const int ContractOrderMax = 1023;

    /// <summary>Entries that an identity map keeps for the next graph; larger ones are given to the collector.</summary>
    internal const int IdentitiesKept = 1 << 17;

    /// <summary>Uses of a type by reflection before its plan is compiled in the background.</summary>
    internal const int UsesBeforeCompiling = 32;

    /// <summary>Primitive arrays of this many elements and more are written as one block of bytes.</summary>
    internal const int BlockElementsMin = 64;

    /// <summary>What reading may allocate, as a multiple of the stored bytes: more than honest graphs need, as ReadCost counts them.</summary>
    internal const int ReadExpansionMax = 64;

    /// <summary>What reading may allocate besides, for small payloads.</summary>
    internal const int ReadAllowanceBytes = 64 << 10;

    /// <summary>Versions of types in one pile: numbers beyond are taken for damage, so that they ask for no memory.</summary>
    internal const int TypeVersionsMax = 1 << 20;

    /// <summary>Numbers that stay unused behind the greatest one found, where files or an export do not say how far they were issued: schemas of as many
    /// types may have been lost.</summary>
    internal const int TypeNumbersLostMax = 4096;

    /// <summary>Chars of a name in a schema: more than any type has that is written by hand, whatever it is made of. Descriptions and JSON text say a
    /// name once for each object, which may take two bytes.</summary>
    internal const int SchemaNameCharsMax = 16 << 10;

    /// <summary>Generic types within each other in a type: whoever looks at one goes as deep, whatever stack there is.</summary>
    internal const int TypeNestingMax = 63;

    /// <summary>Arrays in a type: each may be one of the one before, and whoever looks at such a type goes as deep.</summary>
    internal const int TypeArraysMax = 256;

    /// <summary>Bits of a BigInteger up to which text has its decimal digits: what they take to make grows with the square of their number.</summary>
    internal const int DecimalBitsMax = 4096;

    /// <summary>Bytes of one schema record at the most: below the smallest large object, so that schemas need no pages.</summary>
    internal const int SchemaPartBytes = 8 << 10;
}
