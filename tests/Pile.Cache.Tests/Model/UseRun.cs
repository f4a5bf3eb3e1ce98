// Uses of sliding entries in the two moments in which they could be lost: between the copy of a record and its cell's swing, and between two
// looks whether an entry has ended. The stop points of the test build lead there; elsewhere nothing stops, and nothing is proved.
// For the planted faults.
using System;
using System.Threading;
using Pile.Primitives;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

/// <summary>The uses.</summary>
internal static class UseRun
{
    private const int Key = 1;
    private static readonly TimeSpan _span = TimeSpan.FromSeconds(10);

    /// <summary>Both, in tables of both kinds.</summary>
    internal static void Run()
    {
        foreach (PileTableKind kind in (PileTableKind[])[PileTableKind.Speculative, PileTableKind.Durable])
        {
            WhileItIsCopied(kind);
            WhileItEnds(kind);
        }
    }

    private static void WhileItIsCopied(PileTableKind kind)
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = WithDeadAround(tiny, kind);
        tiny.Clock.Move(_span / 2);
        bool isShown = StoppedAt(StopPoint.CopyAppended, table, static () => { }, () => tiny.Cache.Pile.Compact());
        ModelMismatchException.Unless(isShown, "use", "nothing was copied, or it was not there");
        tiny.Clock.Move(_span / 2);
        ModelMismatchException.Unless(table.TryGet(Key, out _), "use", "one that was noted while the record was copied is forgotten");
    }

    private static void WhileItEnds(PileTableKind kind)
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = WithDeadAround(tiny, kind);
        tiny.Clock.Move(_span);

        // A reader who has asked for the time a tick before.
        var tick = TimeSpan.FromTicks(1);
        bool isShown = StoppedAt(StopPoint.CacheEndSeen, table, () => tiny.Clock.Move(-tick), () =>
        {
            for (int step = 0; step < 20; step++)
            {
                tiny.Tick(1);
                tiny.Clock.Move(tick);
            }
        });
        ModelMismatchException.Unless(isShown, "use", "nobody looked whether it had ended, or it was not there");
        ModelMismatchException.Unless(table.TryGet(Key, out _), "use", "an entry was shown, and removed in spite of it");
    }

    // An entry alone in its segment, which is full.
    private static PileTable<int, byte[]> WithDeadAround(TinyCache tiny, PileTableKind kind)
    {
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        _ = table.Set(Key, new byte[100], new PileEntryOptions { SlidingExpiration = _span });
        for (int other = 2; other < 1_000; other++)
        {
            _ = table.Set(other, new byte[300]);
            _ = table.Remove(other);
        }

        return table;
    }

    // Whether another thread is shown the entry while this one stands at the point for the first time.
    private static bool StoppedAt(StopPoint point, PileTable<int, byte[]> table, Action before, Action run)
    {
        bool isShown = false;
        Fault.Stopping = at =>
        {
            if (at == point)
            {
                Fault.Stopping = null;
                before();
                var reader = new Thread(() => isShown = table.TryGet(Key, out _));
                reader.Start();
                reader.Join();
            }
        };
        run();
        Fault.Stopping = null;
        return isShown;
    }
}
