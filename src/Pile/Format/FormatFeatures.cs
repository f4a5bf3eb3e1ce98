// Version and feature words of a file: what a program must know to use it. Every bit is unknown until a version names it.
// version 32 | zero 32 | compatible 64 | read-only-compatible 64 | incompatible 64; behind the magic of each header.
using System.Collections.Generic;
using System.Numerics;

namespace Pile.Format;

/// <summary>Which format a file has.</summary>
/// <param name="Version">Version of the layouts; a greater one than <see cref="VersionKnown"/> is not touched.</param>
/// <param name="Compatible">Features that a program need not know.</param>
/// <param name="ReadOnlyCompatible">Features that a program must know to write, not to read.</param>
/// <param name="Incompatible">Features that a program must know to read.</param>
internal readonly record struct FormatFeatures(uint Version, ulong Compatible, ulong ReadOnlyCompatible, ulong Incompatible)
{
    /// <summary>Bytes of the stored form.</summary>
    internal const int Bytes = 32;

    /// <summary>Incompatible, in the files of a cache: a table there whose hashes the former function does not make.</summary>
    internal const ulong HashesOfToday = 1;

    internal const uint VersionKnown = 1;
    private const ulong ReadOnlyCompatibleKnown = 0;
    private const ulong IncompatibleKnown = 0;

    /// <summary>What this version writes.</summary>
    internal static FormatFeatures Current => new(VersionKnown, 0, 0, 0);

    /// <summary>Whether the fields of the layout can be read.</summary>
    internal bool IsReadable => IsReadableWith(IncompatibleKnown);

    /// <summary>What a file of a cache has.</summary>
    internal static FormatFeatures OfCache(bool hasFormerHashesAlone) => Current with { Incompatible = hasFormerHashesAlone ? 0 : HashesOfToday };

    /// <summary>Whether the fields can be read by who knows these incompatible features.</summary>
    internal bool IsReadableWith(ulong known) => Version is > 0 and <= VersionKnown && (Incompatible & ~known) == 0;

    /// <summary>What such a program says of it then.</summary>
    internal string Unreadable(ulong known)
    {
        ulong unknown = Incompatible & ~known;
        return Version is 0 or > VersionKnown ? $"its format version is {Version}, of which this version of Pile knows nothing" : $"it uses incompatible features that this version of Pile does not know: {BitsOf(unknown)}";
    }

    internal static FormatFeatures Read(ref LayoutReader reader)
    {
        uint version = reader.UInt();
        _ = reader.UInt();
        return new FormatFeatures(version, reader.ULong(), reader.ULong(), reader.ULong());
    }

    internal void Write(ref LayoutWriter writer)
    {
        writer.Int(Version);
        writer.Int(0);
        writer.Long(Compatible);
        writer.Long(ReadOnlyCompatible);
        writer.Long(Incompatible);
    }

    /// <summary>Refuses a file that needs a newer version.</summary>
    /// <exception cref="PileFormatException">Its version or one of its features is unknown.</exception>
    internal void Check(string path, bool readOnly)
    {
        if (Version is 0 or > VersionKnown)
        {
            throw new PileFormatException(
                $"'{path}' has format version {Version}; this version of Pile knows versions up to {VersionKnown}. Open it with a newer version of Pile. Nothing was changed.", path);
        }

        ulong unknown = Incompatible & ~IncompatibleKnown;
        if (unknown != 0)
        {
            throw new PileFormatException(
                $"'{path}' uses features that this version of Pile does not know: incompatible {BitsOf(unknown)}. Open it with a newer version of Pile. Nothing was changed.", path);
        }

        unknown = ReadOnlyCompatible & ~ReadOnlyCompatibleKnown;
        if (unknown != 0 && !readOnly)
        {
            throw new PileFormatException(
                $"'{path}' uses features that this version of Pile does not know: read-only-compatible {BitsOf(unknown)}. Open it with a newer version of Pile, or with OpenMode = ReadOnly. Nothing was changed.", path);
        }
    }

    private static string BitsOf(ulong word)
    {
        List<int> bits = [];
        for (; word != 0; word &= word - 1)
        {
            bits.Add(BitOperations.TrailingZeroCount(word));
        }

        return $"bit{(bits.Count > 1 ? "s" : string.Empty)} {string.Join(", ", bits)}";
    }
}
