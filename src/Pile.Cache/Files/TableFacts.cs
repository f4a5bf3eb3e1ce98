// What a cache knows of one table: counts, which buckets are free, and the checksums of its buckets, a piece of them at a time.
// A row of CacheFacts.
using System;
using System.Collections.Generic;
using System.IO;
using Pile.Cache.Index;

namespace Pile.Cache.Files;

/// <summary>A table's row.</summary>
/// <param name="Id">The table.</param>
/// <param name="Homes">First buckets of chains.</param>
/// <param name="Entries">Entries by priority.</param>
/// <param name="Bytes">Bytes of their records and of what these own.</param>
/// <param name="Version">The last number of its entries, of a durable table; else 0.</param>
/// <param name="Free">Buckets beyond the first of a chain that no chain has.</param>
/// <param name="Sums">Checksums of the first buckets of chains, then of the others.</param>
internal sealed record TableFacts(int Id, uint Homes, long[] Entries, long Bytes, long Version, uint[] Free, uint[] Sums)
{
    private const int Priorities = (int)PileCachePriority.NeverRemove + 1;

    internal static TableFacts Read(BinaryReader reader)
    {
        int id = reader.ReadInt32();
        uint homes = reader.ReadUInt32();
        long[] entries = new long[Priorities];
        for (int priority = 0; priority < Priorities; priority++)
        {
            entries[priority] = reader.ReadInt64();
        }

        return new TableFacts(id, homes, entries, reader.ReadInt64(), reader.ReadInt64(), ReadList(reader), ReadList(reader));
    }

    internal void Write(BinaryWriter writer)
    {
        writer.Write(Id);
        writer.Write(Homes);
        foreach (long entries in Entries)
        {
            writer.Write(entries);
        }

        writer.Write(Bytes);
        writer.Write(Version);
        WriteList(writer, Free);
        WriteList(writer, Sums);
    }

    /// <summary>The stretches of an index over which there is a sum each: first buckets in use, then those beyond.</summary>
    internal static List<(uint First, uint Count)> Stretches(BucketMemory memory)
    {
        List<(uint First, uint Count)> stretches = [];
        Add(stretches, 0, memory.HomesTaken);
        Add(stretches, memory.HomesMax, memory.OverflowsNext);
        return stretches;
    }

    private static void Add(List<(uint First, uint Count)> stretches, uint first, uint end)
    {
        for (; first < end; first += CacheLimits.BucketsOfSum)
        {
            stretches.Add((first, uint.Min(CacheLimits.BucketsOfSum, end - first)));
        }
    }

    private static uint[] ReadList(BinaryReader reader)
    {
        int count = reader.ReadInt32();
        if (count < 0 || count > (reader.BaseStream.Length - reader.BaseStream.Position) / sizeof(uint))
        {
            throw new EndOfStreamException();
        }

        uint[] list = new uint[count];
        for (int index = 0; index < count; index++)
        {
            list[index] = reader.ReadUInt32();
        }

        return list;
    }

    private static void WriteList(BinaryWriter writer, ReadOnlySpan<uint> list)
    {
        writer.Write(list.Length);
        foreach (uint item in list)
        {
            writer.Write(item);
        }
    }
}
