// The first 4096 bytes of a table file. The first half is fixed when the file is created and ends with its CRC; in the second
// stand words that change while the pile is open: the high water of slots, and a list of the slots of the pile's own records.
using System;
using System.Diagnostics.CodeAnalysis;

namespace Pile.Format;

/// <summary>Content of a table file's header.</summary>
/// <param name="Identity">The pile's.</param>
/// <param name="Number">Number of the file, which is part of its name.</param>
internal readonly record struct TableHeader(ulong Identity, uint Number)
{
    /// <summary>Where the entries begin.</summary>
    internal const int Bytes = 4096;

    /// <summary>Bytes that are fixed at creation.</summary>
    internal const int FixedBytes = 2048;

    /// <summary>Where the word stands that tells how many slots were ever issued.</summary>
    internal const int HighWaterOffset = FixedBytes;

    /// <summary>Where the word stands that tells how many slots of the pile's own records follow it, and in its upper half their checksum.</summary>
    internal const int InternalsOffset = HighWaterOffset + sizeof(ulong);

    /// <summary>The checksum of a list without slots, with which that of others begins: never 0, which older versions have there.</summary>
    internal const uint InternalsSeed = 0x5453_494C; // "LIST"

    private const ulong Magic = 0x4C42_4154_454C_4950; // "PILETABL"

    /// <summary>Format version and features.</summary>
    internal FormatFeatures Features { get; init; } = FormatFeatures.Current;

    /// <summary>Writes the stored form, with a high water of 0 and an empty list.</summary>
    internal void Write(Span<byte> target)
    {
        target[..Bytes].Clear();
        var writer = new LayoutWriter(target);
        writer.Long(Magic);
        Features.Write(ref writer);
        writer.Long(Identity);
        writer.Int(Number);
        HeaderBlock.Seal(target[..FixedBytes]);
        new LayoutWriter(target[InternalsOffset..]).Long((ulong)InternalsSeed << 32);
    }

    /// <summary>Reads the fixed part of the stored form. Of a format that is not known, only features and identity mean anything.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> source, out TableHeader header, [NotNullWhen(false)] out string? problem)
    {
        header = default;
        if (!HeaderBlock.IsWhole(source[..FixedBytes], Magic, out problem))
        {
            return false;
        }

        var reader = new LayoutReader(source);
        _ = reader.ULong();
        FormatFeatures features = FormatFeatures.Read(ref reader);
        header = new TableHeader(reader.ULong(), reader.UInt()) { Features = features };
        return true;
    }
}
