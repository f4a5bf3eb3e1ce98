// The segments that a verification has compared with entries and counters one at a time, and what must be known of them in the
// end: which slots' entries referred into them, and which large objects. A record that is current in the end was so when its
// segment was compared, for it was published before; so an entry into such a segment that was not met there is wrong.
// Writer: whoever holds all writers and the cleaner's role; readers in the end likewise.
using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Segments;
using Pile.Table;

namespace Pile.Heap;

/// <summary>What was compared. Used with all writers held.</summary>
internal sealed class VerifyCounted
{
    private const int WordBits = 64;
    private readonly List<long> _sequences = [];
    private readonly List<(uint Slot, long Location, long Bytes)> _runs = [];
    private ulong[] _met = [];

    /// <summary>Whether there are any.</summary>
    internal bool HasAny => _sequences.Count > 0;

    /// <summary>Notes a sealed segment that was compared.</summary>
    internal void Add(Segment segment)
    {
        while (_sequences.Count <= segment.Index)
        {
            _sequences.Add(-1);
        }

        _sequences[segment.Index] = segment.Sequence;
    }

    /// <summary>Whether a segment was compared, and is still the same.</summary>
    internal bool Contains(Segment segment) => segment.Index < _sequences.Count && _sequences[segment.Index] == segment.Sequence;

    /// <summary>Notes that the record which a slot's entry refers to was met.</summary>
    internal void Meet(uint slot)
    {
        int word = (int)(slot / WordBits);
        if (word >= _met.Length)
        {
            Array.Resize(ref _met, int.Max(word + 1, _met.Length * 2));
        }

        _met[word] |= 1UL << (int)(slot % WordBits);
    }

    /// <summary>Whether it was.</summary>
    internal bool HasMet(uint slot) => slot / WordBits < _met.Length && (_met[slot / WordBits] & (1UL << (int)(slot % WordBits))) != 0;

    /// <summary>Notes a current large object.</summary>
    internal void AddRun(uint slot, long location, long bytes) => _runs.Add((slot, location, bytes));

    /// <summary>Bytes of the runs of those large objects that are still where they were.</summary>
    internal long RunBytes(ObjectTable table)
    {
        long bytes = 0;
        foreach ((uint slot, long location, long runBytes) in _runs)
        {
            bytes += EntryWord.Location(table.ReadAny(slot)) == location ? runBytes : 0;
        }

        return bytes;
    }
}
