// The checksums of an object table that was closed in order: one of its header, one of each page. Written whole, read whole.
// magic 64 | features | identity 64 | number 32 | high water 32 | sum of the header 32 | pages 32 | a sum of 32 for each page | CRC 32
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Content of such a file.</summary>
/// <param name="Identity">The pile's.</param>
/// <param name="Number">Number of the file, which is part of its name: that of the table.</param>
/// <param name="HighWater">Slots ever issued, slot 0 included.</param>
/// <param name="HeaderSum">The sum of the header.</param>
/// <param name="Sums">A sum for each page of <see cref="Limits.TablePageSlots"/> slots below the high water.</param>
internal sealed record PageSums(ulong Identity, uint Number, uint HighWater, uint HeaderSum, uint[] Sums)
{
    private const ulong Magic = 0x534D_5553_454C_4950; // "PILESUMS"
    private const int HeadBytes = sizeof(ulong) + FormatFeatures.Bytes + sizeof(ulong) + (4 * sizeof(uint));

    /// <summary>Pages that hold so many slots.</summary>
    internal static int PagesOf(uint highWater) => (int)(((long)highWater + Limits.TablePageSlots - 1) / Limits.TablePageSlots);

    /// <summary>Slots of a page that lie below the high water.</summary>
    internal uint SlotsOf(int page) => uint.Min(Limits.TablePageSlots, HighWater - ((uint)page * Limits.TablePageSlots));

    /// <summary>Bytes of the stored form.</summary>
    internal static int BytesOf(uint highWater) => HeadBytes + ((PagesOf(highWater) + 1) * sizeof(uint));

    /// <summary>The stored form.</summary>
    internal byte[] ToBytes()
    {
        byte[] bytes = new byte[BytesOf(HighWater)];
        var writer = new LayoutWriter(bytes);
        writer.Long(Magic);
        FormatFeatures.Current.Write(ref writer);
        writer.Long(Identity);
        writer.Int(Number);
        writer.Int(HighWater);
        writer.Int(HeaderSum);
        writer.Int(Sums.Length);
        foreach (uint sum in Sums)
        {
            writer.Int(sum);
        }

        HeaderBlock.Seal(bytes);
        return bytes;
    }

    /// <summary>Reads the stored form.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> source, [NotNullWhen(true)] out PageSums? sums, [NotNullWhen(false)] out string? problem)
    {
        sums = null;
        if (source.Length < HeadBytes + sizeof(uint))
        {
            problem = $"{source.Length} bytes are too few";
            return false;
        }

        if (!HeaderBlock.IsWhole(source, Magic, out problem))
        {
            return false;
        }

        var reader = new LayoutReader(source);
        _ = reader.ULong();
        if (!FormatFeatures.Read(ref reader).IsReadable)
        {
            problem = "it is of a newer version";
            return false;
        }

        (ulong identity, uint number, uint highWater, uint headerSum, uint count) = (reader.ULong(), reader.UInt(), reader.UInt(), reader.UInt(), reader.UInt());
        if (count != PagesOf(highWater) || BytesOf(highWater) != source.Length)
        {
            problem = $"{count} pages are not those of {highWater} slots in {source.Length} bytes";
            return false;
        }

        uint[] read = new uint[count];
        for (int index = 0; index < read.Length; index++)
        {
            read[index] = reader.UInt();
        }

        sums = new PageSums(identity, number, highWater, headerSum, read);
        return true;
    }
}
