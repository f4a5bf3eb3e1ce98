// A file that has one 32-bit word for each page of the object table, and one for the whole: the checksums of a table that was
// closed in order. Written whole, read whole.
// magic 64 | features | identity 64 | number 32 | high water 32 | word of the whole 32 | pages 32 | a word of 32 for each page | CRC 32
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Content of such a file.</summary>
/// <param name="Identity">The pile's.</param>
/// <param name="Number">Number of the file, which is part of its name: that of the table.</param>
/// <param name="HighWater">Slots ever issued, slot 0 included.</param>
/// <param name="Whole">The word of the whole.</param>
/// <param name="Words">A word for each page of <see cref="Limits.TablePageSlots"/> slots below the high water.</param>
internal sealed record PageWords(ulong Identity, uint Number, uint HighWater, uint Whole, uint[] Words)
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
        writer.Int(Whole);
        writer.Int(Words.Length);
        foreach (uint word in Words)
        {
            writer.Int(word);
        }

        HeaderBlock.Seal(bytes);
        return bytes;
    }

    /// <summary>Reads the stored form.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> source, [NotNullWhen(true)] out PageWords? words, [NotNullWhen(false)] out string? problem)
    {
        words = null;
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

        (ulong identity, uint number, uint highWater, uint whole, uint count) = (reader.ULong(), reader.UInt(), reader.UInt(), reader.UInt(), reader.UInt());
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

        words = new PageWords(identity, number, highWater, whole, read);
        return true;
    }
}
