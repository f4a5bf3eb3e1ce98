using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Fuzz;

/// <summary>A segment in its extent file: its records are found as a walk finds them, changed, and given the checksums that fit.</summary>
internal sealed class FuzzSegment
{
    private readonly FuzzFile _file;
    private readonly long _offset;
    private readonly long _location;
    private readonly ulong _identity;
    private readonly byte[] _bytes;
    private readonly uint _salt;
    private readonly List<int> _records = [];
    private readonly long _sequence;
    private int _end = SegmentHeader.Bytes;

    private FuzzSegment(FuzzFile file, in ExtentHeader extent, int index)
    {
        _file = file;
        _identity = extent.Identity;
        _offset = ExtentHeader.ExtentPrefixBytes + ((long)index * extent.SegmentBytes);
        _location = ((long)extent.FirstRow << 23) + ((long)index * extent.SegmentBytes / Limits.WordBytes);
        _bytes = file.Read(_offset, extent.SegmentBytes);
        _ = SegmentHeader.TryRead(_bytes, _identity, _location, out _sequence, out _, out _);
        _salt = DurableRecord.SaltOf(_identity, _sequence);
        FindRecords();
    }

    /// <summary>One of the segments in use of an extent.</summary>
    internal static FuzzSegment? Any(FuzzFile file, Random random)
    {
        if (!ExtentHeader.TryRead(file.Read(0, ExtentHeader.Bytes), out ExtentHeader extent, out _) || extent.Segments == 0)
        {
            return null;
        }

        int[] used = [.. Enumerable.Range(0, extent.Segments).Where(index => file.Word(ExtentHeader.RowsOffset + (index * sizeof(long))) != 0)];
        return used.Length == 0 ? null : new FuzzSegment(file, extent, used[random.Next(used.Length)]);
    }

    /// <summary>All segments in use of an extent.</summary>
    internal static IEnumerable<FuzzSegment> All(FuzzFile file)
    {
        Assert.True(ExtentHeader.TryRead(file.Read(0, ExtentHeader.Bytes), out ExtentHeader extent, out _));
        return Enumerable.Range(0, extent.Segments).Where(index => file.Word(ExtentHeader.RowsOffset + (index * sizeof(long))) != 0).Select(index => new FuzzSegment(file, extent, index));
    }

    /// <summary>Gives a row of an extent another sequence or state.</summary>
    internal static void ChangeRow(FuzzFile file, Random random)
    {
        if (!ExtentHeader.TryRead(file.Read(0, ExtentHeader.Bytes), out ExtentHeader extent, out _) || extent.Segments == 0)
        {
            return;
        }

        int index = random.Next(random.Next(4) == 0 ? extent.Segments : int.Min(extent.Segments, 64));
        long place = ExtentHeader.RowsOffset + (index * sizeof(long));
        long sequence = (long)(file.Word(place) & (ulong)SegmentRow.SequenceMax);
        sequence = random.Next(2) == 0 ? sequence : (long)FuzzNumbers.Next(random, (ulong)sequence, SegmentRow.SequenceBits);
        long location = ((long)extent.FirstRow << 23) + ((long)index * extent.SegmentBytes / Limits.WordBytes);
        file.SetWord(place, SegmentRow.Pack(long.Max(sequence, 1), (SegmentRowState)random.Next(1, 6), extent.Identity, location));
    }

    /// <summary>Gives the segment's header another sequence, or another end.</summary>
    internal void ChangeHeader(Random random)
    {
        bool isSequence = random.Next(2) == 0;
        long sequence = isSequence ? (long)FuzzNumbers.Next(random, (ulong)_sequence, SegmentRow.SequenceBits) : _sequence;
        int cut = isSequence ? 0 : (int)FuzzNumbers.Next(random, (ulong)_end, 32);
        byte[] header = new byte[SegmentHeader.Bytes];
        SegmentHeader.Write(header, sequence, _identity, _location, cut);
        _file.Write(_offset, header);
    }

    /// <summary>Changes a record, or appends one.</summary>
    internal void ChangeRecord(Random random)
    {
        if (_records.Count == 0)
        {
            return;
        }

        int from = _records[random.Next(_records.Count)];
        int to = random.Next(4) == 0 ? _end : from;
        byte[] record = _bytes.AsSpan(from, int.Min(SizeAt(from), _bytes.Length - to)).ToArray();
        if (record.Length < DurableRecord.HeaderBytes)
        {
            return;
        }

        for (int changes = random.Next(1, 3); changes > 0; changes--)
        {
            ChangeFields(record, random);
        }

        Stamp(record, to);
        _file.Write(_offset + to, record);
    }

    /// <summary>Puts a record of this segment in the place of another one.</summary>
    internal void MoveRecord(Random random)
    {
        if (_records.Count < 2)
        {
            return;
        }

        int from = _records[random.Next(_records.Count)];
        int to = random.Next(4) == 0 ? _end : _records[random.Next(_records.Count)];
        byte[] record = _bytes.AsSpan(from, int.Min(SizeAt(from), _bytes.Length - to)).ToArray();
        if (record.Length >= DurableRecord.HeaderBytes)
        {
            Stamp(record, to);
            _file.Write(_offset + to, record);
        }
    }

    /// <summary>Gives the first record of a kind another first word.</summary>
    /// <returns>Whether there is one.</returns>
    internal bool Rewrite(RecordCode code, Func<ulong, ulong> word0)
    {
        int at = _records.FindIndex(offset => RecordWord.Code(BinaryPrimitives.ReadUInt64LittleEndian(_bytes.AsSpan(offset))) == code);
        if (at < 0)
        {
            return false;
        }

        byte[] record = _bytes.AsSpan(_records[at], SizeAt(_records[at])).ToArray();
        BinaryPrimitives.WriteUInt64LittleEndian(record, word0(BinaryPrimitives.ReadUInt64LittleEndian(record)));
        Stamp(record, _records[at]);
        _file.Write(_offset + _records[at], record);
        return true;
    }

    private static void ChangeFields(byte[] record, Random random)
    {
        ulong word0 = BinaryPrimitives.ReadUInt64LittleEndian(record);
        ulong word1 = BinaryPrimitives.ReadUInt64LittleEndian(record.AsSpan(8));
        switch (random.Next(8))
        {
            case 0:
                word0 = (word0 & ~(ulong)uint.MaxValue) | FuzzNumbers.Next(random, (uint)word0, 32);
                break;
            case 1:
                word0 = (word0 & ~(15UL << RecordWord.CodeShift)) | ((ulong)random.Next(16) << RecordWord.CodeShift);
                break;
            case 2:
                ulong length = (ulong)RecordWord.PayloadBytes(word0);
                word0 = (word0 & ((1UL << RecordWord.PayloadShift) - 1)) | (FuzzNumbers.Next(random, length, random.Next(2) == 0 ? 16 : 28) << RecordWord.PayloadShift);
                break;
            case 3:
                word1 = (word1 & ~DurableRecord.VersionMax) | FuzzNumbers.Next(random, DurableRecord.Version(word1), DurableRecord.VersionBits);
                break;
            case 4:
                word1 = (word1 & DurableRecord.VersionMax) | (FuzzNumbers.Next(random, DurableRecord.Generation(word1), 24) << DurableRecord.VersionBits);
                break;
            default:
                FuzzBytes.ChangeInPlace(record.AsSpan(DurableRecord.HeaderBytes, int.Min(record.Length - DurableRecord.HeaderBytes, RecordWord.PayloadBytes(word0))), random);
                break;
        }

        BinaryPrimitives.WriteUInt64LittleEndian(record, word0);
        BinaryPrimitives.WriteUInt64LittleEndian(record.AsSpan(8), word1);
    }

    /// <summary>The checksums of a record that will stand at an offset.</summary>
    private void Stamp(byte[] record, int offset)
    {
        ulong word0 = BinaryPrimitives.ReadUInt64LittleEndian(record);
        ulong word1 = BinaryPrimitives.ReadUInt64LittleEndian(record.AsSpan(8));
        byte[] payload = new byte[int.Min(RecordWord.PayloadBytes(word0), _bytes.Length)];
        Array.Copy(record, DurableRecord.HeaderBytes, payload, 0, int.Min(payload.Length, record.Length - DurableRecord.HeaderBytes));
        if (payload.Length > record.Length - DurableRecord.HeaderBytes)
        {
            // It reaches over what follows.
            int more = int.Min(payload.Length - (record.Length - DurableRecord.HeaderBytes), int.Max(0, _bytes.Length - offset - record.Length));
            Array.Copy(_bytes, int.Min(offset + record.Length, _bytes.Length), payload, record.Length - DurableRecord.HeaderBytes, more);
        }

        var stamp = new RecordStamp(DurableRecord.Version(word1), DurableRecord.Generation(word1), _salt, _location + (offset / Limits.WordBytes));
        DurableRecord.WriteRest(record.AsSpan(8), word0, PayloadSum.Of(word0, payload), stamp);
    }

    private int SizeAt(int offset) =>
        Align.Up(DurableRecord.HeaderBytes + RecordWord.PayloadBytes(BinaryPrimitives.ReadUInt64LittleEndian(_bytes.AsSpan(offset))), Limits.WordBytes);

    private void FindRecords()
    {
        while (_end + DurableRecord.HeaderBytes <= _bytes.Length)
        {
            ReadOnlySpan<byte> at = _bytes.AsSpan(_end);
            ulong word0 = BinaryPrimitives.ReadUInt64LittleEndian(at);
            if (SizeAt(_end) > _bytes.Length - _end
                || !DurableRecord.IsWhole(word0, BinaryPrimitives.ReadUInt64LittleEndian(at[8..]), BinaryPrimitives.ReadUInt64LittleEndian(at[16..]), _salt, _location + (_end / Limits.WordBytes)))
            {
                break;
            }

            _records.Add(_end);

            // The members of a batch lie in its frame.
            _end += RecordWord.Code(word0) == RecordCode.Frame ? DurableRecord.HeaderBytes : SizeAt(_end);
        }
    }
}
