// The file that a Clear leaves: for each page of the table the greatest generation that its slots had then, so that no pointer of
// before can match an object of after. Truth, not an accelerator: the records that said it are gone.
// magic 64 | features | identity 64 | number 32 | high water 32 | pages 32 | a floor of 32 for each page | CRC 32; all of it twice
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Content of a file of floors.</summary>
/// <param name="Identity">The pile's.</param>
/// <param name="Number">Number of the file, which is part of its name.</param>
/// <param name="HighWater">Slots ever issued when the pile was cleared, slot 0 included.</param>
/// <param name="Floors">The greatest generation of each page of <see cref="Limits.TablePageSlots"/> slots.</param>
internal sealed record GenerationFloors(ulong Identity, uint Number, uint HighWater, uint[] Floors)
{
    private const ulong Magic = 0x524F_4C46_454C_4950; // "PILEFLOR"
    private const int HeadBytes = sizeof(ulong) + FormatFeatures.Bytes + sizeof(ulong) + (3 * sizeof(uint));

    /// <summary>Bytes of the longest stored form, for as many slots as a number can say.</summary>
    internal static long BytesMax => 2L * Align.Up(HeadBytes + ((PageSums.PagesOf(uint.MaxValue) + 1) * sizeof(uint)), Limits.OsPageBytes);

    /// <summary>Format version and features.</summary>
    internal FormatFeatures Features { get; init; } = FormatFeatures.Current;

    /// <summary>The floor of a slot.</summary>
    internal uint Of(uint slot) => slot / Limits.TablePageSlots < Floors.Length ? Floors[slot / Limits.TablePageSlots] : 0;

    /// <summary>The stored form: two copies, each from the beginning of an OS page on, so that no damage of one page meets both.</summary>
    internal byte[] ToBytes()
    {
        byte[] one = CopyToBytes();
        byte[] both = new byte[2 * Align.Up(one.Length, Limits.OsPageBytes)];
        one.CopyTo(both, 0);
        one.CopyTo(both, both.Length / 2);
        return both;
    }

    /// <summary>Reads the stored form: the first copy that is whole.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> source, [NotNullWhen(true)] out GenerationFloors? floors, [NotNullWhen(false)] out string? problem)
    {
        floors = null;
        if (source.Length < 2 * Limits.OsPageBytes || source.Length % (2 * Limits.OsPageBytes) != 0)
        {
            problem = $"{source.Length} bytes are not two copies of whole pages";
            return false;
        }

        ReadOnlySpan<byte> first = source[..(source.Length / 2)];
        ReadOnlySpan<byte> second = source[(source.Length / 2)..];
        if (TryReadCopy(first, out floors, out string? firstProblem) || TryReadCopy(second, out floors, out string? secondProblem))
        {
            problem = null;
            return true;
        }

        problem = $"of the first copy, {firstProblem}; of the second, {secondProblem}";
        return false;
    }

    private byte[] CopyToBytes()
    {
        byte[] bytes = new byte[HeadBytes + ((Floors.Length + 1) * sizeof(uint))];
        var writer = new LayoutWriter(bytes);
        writer.Long(Magic);
        Features.Write(ref writer);
        writer.Long(Identity);
        writer.Int(Number);
        writer.Int(HighWater);
        writer.Int(Floors.Length);
        foreach (uint floor in Floors)
        {
            writer.Int(floor);
        }

        HeaderBlock.Seal(bytes);
        return bytes;
    }

    private static bool TryReadCopy(ReadOnlySpan<byte> source, [NotNullWhen(true)] out GenerationFloors? floors, [NotNullWhen(false)] out string? problem)
    {
        floors = null;
        var reader = new LayoutReader(source);
        _ = reader.ULong();
        FormatFeatures features = FormatFeatures.Read(ref reader);
        ulong identity = reader.ULong();
        uint number = reader.UInt();
        uint highWater = reader.UInt();
        uint count = reader.UInt();
        long bytes = HeadBytes + ((count + 1L) * sizeof(uint));
        if (Align.Up(bytes, (long)Limits.OsPageBytes) != source.Length)
        {
            problem = $"{count} floors do not take {source.Length} bytes";
            return false;
        }

        if (!HeaderBlock.IsWhole(source[..(int)bytes], Magic, out problem))
        {
            return false;
        }

        uint[] read = new uint[count];
        for (int index = 0; index < read.Length; index++)
        {
            read[index] = reader.UInt();
        }

        floors = new GenerationFloors(identity, number, highWater, read) { Features = features };
        return true;
    }
}
