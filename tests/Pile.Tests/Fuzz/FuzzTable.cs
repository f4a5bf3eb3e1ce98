using System;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Tests.Fuzz;

/// <summary>Entries of a table, and of its copies in checkpoints, with the checksums that fit.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal static class FuzzTable
{
    private const int WordsBytes = 64;

    /// <summary>Changes entries or the words before them; the file of checksums follows, mostly.</summary>
    internal static void Change(FuzzImage image, string path, Random random)
    {
        FuzzFile table = image.Files[path];
        uint highWater = (uint)ulong.Min(table.Word(TableHeader.HighWaterOffset), (ulong)(long.Max(table.Bytes - TableHeader.Bytes, 0) / sizeof(ulong)));
        for (int changes = random.Next(1, 6); changes > 0; changes--)
        {
            if (random.Next(5) == 0 || highWater < 2)
            {
                byte[] words = table.Read(TableHeader.HighWaterOffset, WordsBytes);
                FuzzBytes.SetNumber(words.AsSpan(sizeof(ulong) * random.Next(WordsBytes / sizeof(ulong)), sizeof(ulong)), random, isBig: false);
                table.Write(TableHeader.HighWaterOffset, words);
                continue;
            }

            long place = TableHeader.Bytes + (random.NextInt64(highWater) * sizeof(ulong));
            ulong other = table.Word(TableHeader.Bytes + (random.NextInt64(highWater) * sizeof(ulong)));
            table.SetWord(place, Entry(table.Word(place), other, random));
        }

        string sums = "sums." + Path.GetFileName(path).Split('.')[^1];
        if (random.Next(8) != 0 && image.Files.TryGetValue(sums, out FuzzFile? file))
        {
            Seal(table, file);
        }
    }

    /// <summary>Changes what a checkpoint says of the log, or its entries.</summary>
    internal static void ChangeCheckpoint(FuzzFile file, Random random)
    {
        if (!CheckpointHeader.TryReadBlock(file.Read(0, CheckpointHeader.BlockBytes), int.MaxValue, out long bytes, out _)
            || bytes > file.Bytes || !CheckpointHeader.TryRead(file.Read(0, (int)bytes), out CheckpointHeader? header, out _))
        {
            return;
        }

        for (int changes = random.Next(1, 4); changes > 0; changes--)
        {
            int open = random.Next(header.Open.Length);
            int segment = random.Next(int.Max(1, header.Sequences.Length));
            switch (random.Next(5))
            {
                case 0:
                    header.Open[open] = header.Open[open] with { Sequence = (long)FuzzNumbers.Next(random, (ulong)header.Open[open].Sequence, 40) };
                    break;
                case 1:
                    header.Open[open] = header.Open[open] with { WrittenBytes = (int)FuzzNumbers.Next(random, (ulong)header.Open[open].WrittenBytes, 32) };
                    break;
                case 2 when header.Sequences.Length > 0:
                    header.Sequences[segment] = (long)FuzzNumbers.Next(random, (ulong)header.Sequences[segment], 40);
                    break;
                case 3:
                    header = header with { Flush = (long)FuzzNumbers.Next(random, (ulong)header.Flush, 63), Known = (uint)FuzzNumbers.Next(random, header.Known, 32) % (header.HighWater + 1) };
                    break;
                default:
                    long place = header.Bytes + (random.NextInt64(long.Max(1, header.HighWater)) * sizeof(ulong));
                    file.SetWord(place, Entry(file.Word(place), file.Word(header.Bytes + (random.NextInt64(long.Max(1, header.HighWater)) * sizeof(ulong))), random));
                    break;
            }
        }

        for (int page = 0; page < header.Sums.Length; page++)
        {
            long first = (long)page * Limits.TablePageSlots;
            int slots = (int)long.Min(Limits.TablePageSlots, header.HighWater - first);
            header.Sums[page] = Crc32C.Compute(file.Read(header.Bytes + (first * sizeof(ulong)), slots * sizeof(ulong)));
        }

        file.Write(0, header.ToBytes());
    }

    private static ulong Entry(ulong old, ulong other, Random random) => random.Next(5) switch
    {
        0 => EntryWord.Moved(old, EntryWord.Location(other)),
        1 => EntryWord.Moved(old, (long)FuzzNumbers.Next(random, (ulong)EntryWord.Location(old), EntryWord.LocationBits)),
        2 => old ^ EntryWord.LiveBit,
        3 => (old & (1UL << EntryWord.GenerationShift) - 1) | (FuzzNumbers.Next(random, EntryWord.Generation(old), 24) << EntryWord.GenerationShift),
        _ => FuzzNumbers.Next(random, old, 64),
    };

    private static void Seal(FuzzFile table, FuzzFile file)
    {
        if (file.Bytes > 1 << 20 || !PageSums.TryRead(file.Read(0, (int)file.Bytes), out PageSums? sums, out _))
        {
            return;
        }

        uint[] of = [.. sums.Sums.Select((_, page) => Crc32C.Compute(table.Read(TableHeader.Bytes + ((long)page * Limits.TablePageSlots * sizeof(ulong)), (int)sums.SlotsOf(page) * sizeof(ulong))))];
        PageSums sealedOnes = sums with { Sums = of, HeaderSum = Crc32C.Compute(table.Read(TableHeader.FixedBytes, TableHeader.Bytes - TableHeader.FixedBytes)) };
        file.Write(0, sealedOnes.ToBytes());
    }
}
