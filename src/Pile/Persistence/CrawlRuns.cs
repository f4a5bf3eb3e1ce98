// The large objects that a crawl met. Once all is walked, the pages of those that are current are compared with their descriptors. Those of
// versions before are not even read: they were free to be used again, the device may have lost them, and nobody misses them.
// It judges nothing: what a descriptor without its pages means, the crawl says.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>Large objects of one crawl. <see cref="Note"/> is thread-safe; the others are for when nobody walks.</summary>
/// <param name="space">Flat space.</param>
/// <param name="extents">The extents, all mapped.</param>
/// <param name="builder">Knows which records are current.</param>
internal sealed class CrawlRuns(FlatSpace space, ExtentMap extents, TableBuilder builder)
{
    private readonly Lock _gate = new();
    private readonly List<FoundRun> _found = [];
    private long _leftBytes;

    /// <summary>Bytes of pages that were compared.</summary>
    internal long ComparedBytes { get; private set; }

    internal void Note(in FoundRun run)
    {
        lock (_gate)
        {
            _found.Add(run);
        }
    }

    /// <summary>Forgets all.</summary>
    internal void Clear() => _found.Clear();

    /// <summary>The record of a descriptor.</summary>
    internal LogRecord RecordOf(in FoundRun run) => LogRecord.Read(space, run.Location);

    /// <summary>The current ones whose pages are not what they say, by their place: what is told first must not depend on who walked when.</summary>
    internal List<FoundRun> FindMissing(AllCores cores, CancellationToken cancellationToken)
    {
        List<FoundRun> current = _found.FindAll(run => builder.IsCurrent(RecordOf(run)));
        if (current.Count > 1)
        {
            current.Sort(static (one, other) => (one.Segment, one.Offset).CompareTo((other.Segment, other.Offset)));
        }

        _leftBytes = extents.Bytes * FileLimits.CrawlRunsOverExtentsMax;
        bool[] mayCompare = new bool[current.Count];
        bool[] isWhole = new bool[current.Count];
        for (int index = 0; index < current.Count; index++)
        {
            mayCompare[index] = TryCount(current[index]);
        }

        cores.Run(current.Count, piece =>
        {
            cancellationToken.ThrowIfCancellationRequested();
            isWhole[piece] = mayCompare[piece] && IsWhole(current[piece]);
        });
        List<FoundRun> missing = [];
        for (int index = 0; index < current.Count; index++)
        {
            if (!isWhole[index])
            {
                missing.Add(current[index]);
            }
        }

        return missing;
    }

    /// <summary>Goes on from descriptors that were cut to those that are current without them, as long as their pages are missing too: an object that was
    /// updated often since the last flush would else cost a walk of everything for each of its versions. A descriptor has the version
    /// behind that of the record it replaced, so that none is between the two; where copies are, another walk finds which one counts.</summary>
    /// <param name="cut">What was cut.</param>
    /// <param name="tryCut">Cuts one; false when it is proven, and nothing was cut.</param>
    internal void CutBefore(List<FoundRun> cut, Func<FoundRun, bool> tryCut)
    {
        var versions = new Dictionary<(uint Slot, ulong Word1), FoundRun>();
        foreach (FoundRun run in _found)
        {
            LogRecord record = RecordOf(run);
            if (!versions.TryAdd((record.Slot, record.Word1), run))
            {
                versions[(record.Slot, record.Word1)] = default;
            }
        }

        foreach (FoundRun run in cut)
        {
            LogRecord record = RecordOf(run);
            ulong word1 = record.Word1;
            bool isCut = versions[(record.Slot, word1)] == run;
            while (isCut && DurableRecord.Version(word1) > 0 && versions.TryGetValue((record.Slot, --word1), out FoundRun before))
            {
                isCut = before.Location != 0 && !(TryCount(before) && IsWhole(before)) && tryCut(before);
            }
        }
    }

    /// <summary>Cuts all that can be, current or not, with their pages or without.</summary>
    /// <param name="tryCut">As for <see cref="CutBefore"/>.</param>
    internal void CutAll(Func<FoundRun, bool> tryCut) => _found.ForEach(run => _ = tryCut(run));

    /// <summary>Counts what is to be compared. Runs of current descriptors share no page, so that there is an end to it; whoever made so many that do
    /// wants it to take hours: what is left is taken for missing.</summary>
    private bool TryCount(in FoundRun run)
    {
        if (!RecordOf(run).TryReadRun(space, out LargeDescriptor descriptor) || !extents.ContainsRun(descriptor.RunLocation, descriptor.PayloadBytes) || descriptor.PayloadBytes > _leftBytes)
        {
            return false;
        }

        _leftBytes -= descriptor.PayloadBytes;
        ComparedBytes += descriptor.PayloadBytes;
        return true;
    }

    private bool IsWhole(in FoundRun run)
    {
        LargeDescriptor descriptor = LargeDescriptor.Read(space.Bytes(run.Location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        return Fault.CrcNotCompared || Crc32C.Compute(space.Bytes(descriptor.RunLocation, 0, descriptor.PayloadBytes)) == descriptor.PayloadCrc;
    }
}
