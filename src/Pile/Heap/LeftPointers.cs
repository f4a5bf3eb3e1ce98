// Pointers that a batch had taken when its process ended, neither put nor given back (decision 69). The slot's entry alone says so: a
// kill and a close keep that, a crawl goes by the log. The recount says it there before it frees the slot, unless what recoveries
// raise generations by makes up for it (R8).
using System;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>What an open finds of batches that were open before. Thread-safe.</summary>
/// <param name="core">The heap, its table as it was found or built.</param>
/// <param name="heap">Its files.</param>
internal sealed class LeftPointers(HeapCore<DurableRecord> core, DurableHeap heap)
{
    private readonly uint _recoveries = EntryWord.Generation(core.FirstGeneration) - 1;
    private readonly Lazy<GenerationFloors?> _floors = new(() => ReadFloors(heap));

    /// <summary>Whether a free slot may be issued: a tombstone is appended where a crawl could have it issued again with a pointer of before. Without room for
    /// one the slot is held apart, until the pile is cleared or opened again. Under the slot's stripe, inside an epoch.</summary>
    internal bool MayFree(uint slot, ulong entry)
    {
        uint generation = EntryWord.Generation(entry);
        if (generation <= _recoveries || generation <= _recoveries + KnownOf(slot, entry))
        {
            return true;
        }

        SegmentWriter<DurableRecord> writer = core.Writers.HoldAnyhow(EpochLine.Current);
        try
        {
            if (core.CheckedEntries.TryBury(writer, PointerWord.Pack(slot, 0, EntryWord.Free(generation))))
            {
                return true;
            }
        }
        finally
        {
            writer.Release();
        }

        heap.Batches.NoteLeft();
        return false;
    }

    /// <summary>The generation that a crawl would find.</summary>
    private uint KnownOf(uint slot, ulong entry) => EntryWord.Location(entry) is not 0 and long location
        ? DurableRecord.Generation(core.Directory.Space.ReadWord(location + 1))
        : _floors.Value?.Of(slot) ?? 0;

    /// <summary>The floors; null without any, and where they can't be read, of which only a crawl has to speak.</summary>
    private static GenerationFloors? ReadFloors(DurableHeap heap)
    {
        try
        {
            return heap.Directory.Floors.Read(readOnly: false);
        }
        catch (Exception failure) when (failure is PileException or FileCallException)
        {
            return null;
        }
    }
}
