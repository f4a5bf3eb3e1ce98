namespace Pile.Tests.Durability.Model;

/// <summary>How an appender comes to a segment and leaves it: rules S2 and S3.</summary>
internal static class Appending
{
    /// <summary>The free segment that is taken next, -1 for none: the lowest, so that what was retired comes again soonest.</summary>
    internal static int FindFree(World world)
    {
        Process process = world.Process;
        for (int segment = 0; segment < world.Scope.Segments; segment++)
        {
            if (process.Life(segment) == SegmentLife.Free || (process.Life(segment) == SegmentLife.Retired && MayReuse(world, segment)))
            {
                return segment;
            }
        }

        return -1;
    }

    /// <summary>Draws a sequence number and stores it in the segment's header.</summary>
    internal static void Draw(World world, Appender appender, string who)
    {
        int segment = FindFree(world);
        int sequence = world.Keeps(Rule.SequencesNeverRepeat) ? world.NextSequence : Highest(world) + 1;
        world.NextSequence = sequence + 1;
        (appender.Segment, appender.Sequence, appender.Length, appender.IsDrawn) = (segment, sequence, 0, true);
        world.Process.Set(segment, SegmentLife.Open, Process.NotFlushed);
        world.Process.Sequences[segment] = sequence;
        if (world.Keeps(Rule.SequenceBeforeBytes))
        {
            world.Files.Store(world.Files.Headers[segment], (ulong)sequence);
        }

        world.Story?.Add($"{who} draws sequence {sequence} for segment S{segment}");
    }

    /// <summary>Stores the sequence in the directory too: from here on records may follow.</summary>
    internal static void StoreRow(World world, Appender appender, string who)
    {
        world.Files.Store(world.Files.Headers[appender.Segment], (ulong)appender.Sequence);
        world.Files.StoreRow(appender.Segment, new RowWord(SegmentLife.Open, appender.Sequence));
        appender.IsDrawn = false;
        world.Story?.Add($"{who} stores the row of S{appender.Segment}: open, sequence {appender.Sequence}");
    }

    internal static void Seal(World world, Appender appender, string who)
    {
        int segment = appender.Segment;
        world.Files.StoreRow(segment, new RowWord(SegmentLife.Sealed, appender.Sequence, appender.Length));
        world.Process.Set(segment, SegmentLife.Sealed, Process.NotFlushed);
        world.Process.SealedLengths[segment] = appender.Length;
        world.Story?.Add($"{who} seals S{segment} at length {appender.Length}");
        appender.Reset();
    }

    private static bool MayReuse(World world, int segment) =>
        (world.Process.SegmentWaits[segment] == Process.Flushed || !world.Scope.IsPowerSafe || !world.Keeps(Rule.ReuseAfterFlush))
        && (world.Process.Care != Care.Checkpoint || !world.Keeps(Rule.CheckpointHoldsSegments));

    private static int Highest(World world)
    {
        int highest = 0;
        foreach (int sequence in world.Process.Sequences)
        {
            highest = int.Max(highest, sequence);
        }

        return highest;
    }
}
