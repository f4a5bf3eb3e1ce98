// The file that a pile's object table stands in. Entries are mapped from the file as they take space; the header's high water says
// how many slots were ever issued, so that a table that is believed again knows its end.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>An open table file, mapped into the table's region. Growth is serialised by the slot pool.</summary>
internal sealed class TableFile : IDisposable
{
    private const uint HighWaterWord = TableHeader.HighWaterOffset / Limits.WordBytes;
    private const uint InternalsWord = TableHeader.InternalsOffset / Limits.WordBytes;
    private const uint InternalsMax = (TableHeader.Bytes / Limits.WordBytes) - InternalsWord - 1;
    private const int SumShift = 32;

    private readonly MappedWords _header;
    private readonly bool _isWritable;
    private long _mappedBytes;

    /// <summary>Maps a table file.</summary>
    /// <param name="file">The file, its header checked.</param>
    /// <param name="number">Its number.</param>
    /// <param name="region">Where the entries belong.</param>
    /// <param name="memory">Source of address space for the header.</param>
    /// <param name="isWritable">Whether it may be stored into.</param>
    internal TableFile(StoreFile file, uint number, in Region region, RegionProvider memory, bool isWritable)
    {
        File = file;
        Number = number;
        Region = region;
        _isWritable = isWritable;
        _header = new MappedWords(memory, file, 0, TableHeader.Bytes, isWritable);
        long entryBytes = long.Min(file.Bytes - TableHeader.Bytes, region.Bytes) & -Limits.OsPageBytes;
        if (entryBytes > 0)
        {
            try
            {
                file.Map(region.Address, TableHeader.Bytes, entryBytes, isWritable);
            }
            catch
            {
                _header.Dispose();
                throw;
            }

            _mappedBytes = entryBytes;
        }
    }

    /// <summary>Slots of the pile's own records, as far as the header lists them, by its bytes, which the checksum over all of it covers.</summary>
    internal static IEnumerable<uint> InternalsIn(byte[] header)
    {
        uint count = uint.Min(InternalsMax, BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(TableHeader.InternalsOffset)));
        for (uint index = 0; index < count; index++)
        {
            yield return BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan((int)(InternalsWord + 1 + index) * Limits.WordBytes));
        }
    }

    /// <summary>Checksum over what changes in a header while the pile is open, by its bytes.</summary>
    internal static uint HeaderSumIn(ReadOnlySpan<byte> header) => Crc32C.Compute(header[TableHeader.HighWaterOffset..TableHeader.Bytes]);

    /// <summary>Slots ever issued, by the bytes of a header that is not mapped.</summary>
    internal static uint HighWaterIn(ReadOnlySpan<byte> header) => BinaryPrimitives.ReadUInt32LittleEndian(header[TableHeader.HighWaterOffset..]);

    internal StoreFile File { get; }

    internal uint Number { get; }

    /// <summary>Where the entries lie.</summary>
    internal Region Region { get; }

    /// <summary>Bytes of entries that may be read.</summary>
    internal long MappedBytes => Volatile.Read(ref _mappedBytes);

    /// <summary>Slots ever issued, slot 0 included.</summary>
    internal uint HighWater
    {
        get => (uint)_header.Words.Read(HighWaterWord);
        set => _header.Words.WriteRelease(HighWaterWord, value);
    }

    /// <summary>Checksum over what changes in the header while the pile is open.</summary>
    internal uint HeaderSum() => HeaderSumIn(_header.Words.Bytes(0, TableHeader.Bytes / Limits.WordBytes));

    /// <summary>Slots of the pile's own records, schemas and roots, so that an open finds them without a look at all entries.</summary>
    /// <returns>False when the list can't be believed: it is damaged, there were more than the header holds, or an older version has written it.</returns>
    internal bool TryListInternals(SlotList slots)
    {
        ulong word = _header.Words.Read(InternalsWord);
        uint count = (uint)word;
        for (uint index = 0; index < uint.Min(count, InternalsMax); index++)
        {
            slots.Add((uint)_header.Words.Read(InternalsWord + 1 + index));
        }

        return count <= InternalsMax && SumOf(0, count, TableHeader.InternalsSeed) == word >> SumShift;
    }

    /// <summary>Held while a slot is listed.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>Adds a slot of one of the pile's own records to a list that is believed. Any thread.</summary>
    internal void AddInternal(uint slot)
    {
        using (Gate.EnterAnyhow())
        {
            // The sum goes on from what it was, so that damage to what is listed stays one.
            ulong word = _header.Words.Read(InternalsWord);
            uint count = (uint)word;
            uint sum = (uint)(word >> SumShift);
            if (count < InternalsMax)
            {
                _header.Words.WriteRelease(InternalsWord + 1 + count, slot);
                sum = SumOf(count, 1, sum);
            }

            // The slot before the word: a kill between them leaves a record that the next open adds again.
            WriteInternals(count + 1, sum);
        }
    }

    /// <summary>Lists these slots instead of what is listed and not believed. Nobody adds one meanwhile.</summary>
    internal void ListInternals(SlotList slots)
    {
        uint listed = uint.Min((uint)slots.Count, InternalsMax);
        for (uint index = 0; index < listed; index++)
        {
            _header.Words.WriteRelease(InternalsWord + 1 + index, slots[(int)index]);
        }

        WriteInternals((uint)slots.Count, SumOf(0, listed, TableHeader.InternalsSeed));
    }

    private uint SumOf(uint first, uint count, uint seed) => Crc32C.Compute(_header.Words.Bytes(InternalsWord + 1 + first, (int)count), seed);

    // In one store: a kill leaves the count and the sum of the one list or of the other.
    private void WriteInternals(uint count, uint sum) => _header.Words.WriteRelease(InternalsWord, ((ulong)sum << SumShift) | count);

    /// <summary>Whether entries up to here can be stored.</summary>
    internal bool HasAllocated(long end) => end <= MappedBytes;

    /// <summary>Takes space on the device for all that is mapped: a sparse copy of a table has none where its entries are zero.</summary>
    /// <returns>False when there is none.</returns>
    internal bool TryTakeSpace() => File.TryAllocate(0, TableHeader.Bytes + _mappedBytes);

    /// <summary>Makes sure that entries can be stored: space on the device, then the mapping; ahead of need, a part of what is there.</summary>
    internal bool TryAllocate(long offset, long bytes)
    {
        if (HasAllocated(offset + bytes))
        {
            return true;
        }

        long ahead = long.Min(FileLimits.TableAheadBytesMax, _mappedBytes / 4);
        long end = Align.Up(long.Min(offset + bytes + ahead, Region.Bytes), (long)Limits.OsPageBytes);
        if (!File.TryAllocate(TableHeader.Bytes + _mappedBytes, end - _mappedBytes))
        {
            return false;
        }

        Fault.Stop(StopPoint.TableAllocated);
        File.Map(Region.Address + (nint)_mappedBytes, TableHeader.Bytes + _mappedBytes, end - _mappedBytes, _isWritable);
        Volatile.Write(ref _mappedBytes, end);
        return true;
    }

    /// <summary>Closes the file. The entries' region is its owner's to unmap.</summary>
    public void Dispose()
    {
        _header.Dispose();
        File.Dispose();
    }
}
