// Walks the records of one segment from its beginning: for the cleaner, for Verify and for recovery. In a pile of files a record
// counts only if its check says that it belongs to this pile, this use of the segment and this place.
// It does not look at payloads.
using System.Runtime.CompilerServices;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>A walk over a segment's records. Ends at the given length or at the first word that is no record.</summary>
internal struct SegmentWalk<TFormat>
    where TFormat : struct, IRecordFormat
{
    private readonly FlatSpace _space;
    private readonly long _first;
    private readonly int _endBytes;
    private readonly int _knownBytes;
    private readonly uint _salt;
    private int _offset;
    private int _frameEnd;
    private long _triedBytes;

    /// <summary>Begins a walk.</summary>
    /// <param name="space">The pile's flat space.</param>
    /// <param name="segment">The segment.</param>
    /// <param name="endBytes">How far it is written, or its length when that is not known.</param>
    /// <param name="identity">The pile's identity.</param>
    /// <param name="knownBytes">Records that begin below this offset are known to be whole.</param>
    internal SegmentWalk(FlatSpace space, Segment segment, int endBytes, ulong identity, int knownBytes = 0)
    {
        _space = space;
        _first = segment.Location;
        _endBytes = endBytes;
        _knownBytes = knownBytes;
        _salt = TFormat.IsDurable ? DurableRecord.SaltOf(identity, segment.Sequence) : 0;
        _offset = TFormat.SegmentHeaderBytes;
    }

    /// <summary>Bytes walked over so far; behind the last record once the walk has ended.</summary>
    internal readonly int Offset => _offset;

    /// <summary>Where it stands.</summary>
    internal readonly long Location => _first + (_offset / Limits.WordBytes);

    /// <summary>Whether what the walk ended at is no record, although there was room for one.</summary>
    internal bool IsBad { get; private set; }

    /// <summary>Goes on to the next record.</summary>
    /// <param name="location">Where it stands.</param>
    /// <param name="word">Its word 0.</param>
    /// <param name="recordBytes">Its bytes.</param>
    /// <returns>False at the end.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryNext(out long location, out ulong word, out int recordBytes)
    {
        location = Location;
        if (_endBytes - _offset < TFormat.HeaderBytes)
        {
            word = 0;
            recordBytes = 0;
            return false;
        }

        word = _space.ReadWord(location);
        recordBytes = SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word));
        if (RecordWord.Code(word) == RecordCode.Invalid || recordBytes > _endBytes - _offset || (_offset >= _knownBytes && !IsWhole(location, word)))
        {
            IsBad = true;
            return false;
        }

        if (TFormat.IsDurable && RecordWord.Code(word) == RecordCode.Frame)
        {
            if (_offset < _frameEnd)
            {
                // No writer puts a frame into a frame; of many in each other, to check each payload would take hours.
                IsBad = true;
                return false;
            }

            // The members of a batch are walked like records that stand alone.
            _frameEnd = _offset + recordBytes;
            recordBytes = TFormat.HeaderBytes;
        }

        _offset += recordBytes;
        return true;
    }

    /// <summary>Goes on behind a stretch that is no record, to look for the next one.</summary>
    internal void Skip(int bytes)
    {
        _offset += bytes;
        IsBad = false;
    }

    /// <summary>Counts the bytes of a record that was found to be damaged while the next whole one is looked for.</summary>
    /// <returns>False when they come to more than a segment of any records can hold of such, members of frames counted twice: these lie in each other, as
    /// none do that were written.</returns>
    internal bool TryCountTried(int recordBytes) => (_triedBytes += recordBytes) <= 4L * _endBytes;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool IsWhole(long location, ulong word) =>
        !TFormat.IsDurable
        || DurableRecord.IsWhole(word, _space.ReadWord(location + 1), _space.ReadWord(location + 2), _salt, location);
}
