// Power cuts at moments that random runs seldom meet: after the end of the last durable key of an object, and after an object that no flush
// has covered took the place of another value. Each key is as before or as after.
using System;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal static class PointerCuts
{
    private static readonly PileTableOptions _durable = new() { Kind = PileTableKind.Durable };

    /// <summary>Two keys leave an object that a flush has covered with both of them.</summary>
    internal static void AfterTheLastKey(int seed)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>(_durable);
        PilePointer pointer = first.Cache.Pile.Put(new byte[10]);
        _ = table.SetPointer(1, pointer);
        _ = table.SetPointer(2, pointer);
        first.Cache.Pile.Commit();
        Beside(first, () => table.Set(1, [1]));
        _ = table.Remove(2);
        first.Tick();
        using SimulatedFiles cut = files.PowerCut(new Random(seed));
        using var second = new MappedCache(cut, first.Clock);
        PointerModel.Commit(second);
        PileTable<int, byte[]> again = second.Table<int, byte[]>();
        bool isOne = again.TryGet(1, out byte[]? one) && one.Length is 1 or 10;
        bool isOther = !again.TryGet(2, out byte[]? other) || other.Length == 10;
        ModelMismatchException.Unless(isOne && isOther, "lost", $"seed {seed}: keys show {one?.Length} and {other?.Length} bytes");
        bool isThere = second.Cache.Pile.TryGet(pointer, out byte[]? _);
        ModelMismatchException.Unless(isThere == (one!.Length == 10 || other is not null), "leaked", $"seed {seed}: the object is {(isThere ? "there" : "gone")}");
        second.Verify();
    }

    /// <summary>A new object takes the place of a value that a flush has covered, and another one a new key.</summary>
    internal static void AfterANewObject(int seed)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>(_durable);
        _ = table.Set(1, [1]);
        first.Cache.Pile.Commit();
        PilePointer[] pointers = new PilePointer[2];
        Beside(first, () => pointers[0] = first.Cache.Pile.Put(new byte[10]));
        Beside(first, () => pointers[1] = first.Cache.Pile.Put(new byte[30]));
        _ = table.SetPointer(1, pointers[0]);
        _ = table.SetPointer(2, pointers[1]);
        using SimulatedFiles cut = files.PowerCut(new Random(seed));
        using var second = new MappedCache(cut, first.Clock);
        PointerModel.Commit(second);
        PileTable<int, byte[]> again = second.Table<int, byte[]>();
        bool isOne = again.TryGet(1, out byte[]? one) && one.Length is 1 or 10;
        bool isOther = !again.TryGet(2, out byte[]? other) || other.Length == 30;
        ModelMismatchException.Unless(isOne && isOther, "lost", $"seed {seed}: keys show {one?.Length} and {other?.Length} bytes");
        ModelMismatchException.Unless(again.Count == (other is null ? 1 : 2), "count", $"seed {seed}: {again.Count} entries");
        second.Verify();
    }

    /// <summary>Does something with another writer, and so in another segment: a cut may keep the one and lose the other. The first is held meanwhile, because
    /// little is stored by it alone.</summary>
    private static void Beside(MappedCache cache, Action work)
    {
        WriterSet<DurableRecord> writers = cache.Cache.Pile.Durable!.Core.Writers;
        if (writers.Count < 2)
        {
            throw new InvalidOperationException("A process with one core has one writer, and nothing is beside it.");
        }

        SegmentWriter<DurableRecord> writer = writers[0]!;
        var spin = default(SpinWait);
        while (!writer.TryLock(EpochLine.Current))
        {
            spin.SpinOnce();
        }

        var thread = new Thread(() => work());
        thread.Start();
        thread.Join();
        writer.Release();
    }
}
