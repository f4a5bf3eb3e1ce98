// Reads objects again and verifies them, beside the pile's users: entry against record, record against its checks. What is corrupted
// is condemned, so that reads say so; nothing is changed. One round goes by slots, a few inside each epoch.
using System.Collections.Generic;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>A scrub. One thread at a time.</summary>
internal sealed class Scrubber(HeapCore<DurableRecord> core)
{
    private uint _cursor = Limits.FirstSlot;
    private long _objects;
    private long _bytes;

    /// <summary>Looks at everything once.</summary>
    /// <param name="cancellationToken">Ends it.</param>
    internal PileScrubReport Run(CancellationToken cancellationToken)
    {
        List<PilePointer> corrupted = [];
        while (_cursor < core.Slots.HighWater)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Step(FileLimits.ScrubStepBytes, corrupted);
        }

        return new PileScrubReport(_objects, _bytes, corrupted);
    }

    /// <summary>Looks at the next objects, and begins anew behind the last.</summary>
    /// <param name="bytes">About how many bytes to look at.</param>
    internal void Round(long bytes)
    {
        _cursor = _cursor < core.Slots.HighWater ? _cursor : Limits.FirstSlot;
        Step(bytes, corrupted: null);
    }

    private void Step(long bytes, List<PilePointer>? corrupted)
    {
        EpochLine line = EpochLine.Current;
        uint end = core.Slots.HighWater;
        for (long until = _bytes + bytes; _cursor < end && _bytes < until;)
        {
            long held = line.Enter(core.Epochs.IdWord);
            bool isDisposed;
            try
            {
                for (int slots = 0; slots < FileLimits.ScrubSlots && _cursor < end && !core.IsDisposed; slots++)
                {
                    Look(_cursor++, corrupted);
                }

                isDisposed = core.IsDisposed;
            }
            finally
            {
                line.Leave(held);
            }

            if (isDisposed)
            {
                Throw.Disposed();
            }
        }
    }

    private void Look(uint slot, List<PilePointer>? corrupted)
    {
        // An entry costs something as well, so that a round over many free slots takes its time too.
        _bytes += Limits.WordBytes;
        ulong entry = core.Table.Read(slot);
        if (EntryWord.Location(entry) == 0)
        {
            return;
        }

        bool isGood = core.Touch!.Inspect(slot, entry);
        if (EntryWord.IsLive(entry))
        {
            _objects++;
            _bytes += isGood ? BytesOf(EntryWord.Location(entry)) : 0;
            if (!isGood)
            {
                corrupted?.Add(new PilePointer(PointerWord.Pack(slot, core.Tag, EntryWord.Generation(entry))));
            }
        }
    }

    private int BytesOf(long location)
    {
        ulong word = core.Directory.Space.ReadWord(location);
        return RecordWord.Code(word) == RecordCode.Large
            ? LargeDescriptor.Read(core.Directory.Space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes)).PayloadBytes
            : RecordWord.PayloadBytes(word);
    }
}
