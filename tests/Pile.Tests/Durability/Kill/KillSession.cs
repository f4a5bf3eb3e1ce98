using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.ExceptionServices;
using System.Threading;
using Pile.Primitives;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Kill;

/// <summary>What a child does until it is killed: opens the directory, tells what it finds, and changes it from four threads,
/// saying each call before it begins and after it has returned.</summary>
internal sealed class KillSession(KillOrder order, Stream pipe)
{
    internal const int Threads = 4;

    // Enough that table, segments and runs are all in use, few enough that a look at all of them takes no time.
    private const int ObjectsMax = 900;

    private Exception? _failure;
    private readonly List<(PilePointer Pointer, long Id)>[] _objects = [[], [], [], []];
    private readonly List<(PilePointer Pointer, long Id)>[] _batched = [[], [], [], []];
    private int _version = order.FirstVersion - 1;
    private int _passages = order.Passage;
    private int _count;

    /// <summary>Sizes and times of the children and of those who look at what they left.</summary>
    internal static PileOptions Options(PilePromise? promise) => PileOptions.Tiny with
    {
        Promise = promise,
        MemoryLimitBytes = null,
        SegmentBytesMax = 4 * PileOptions.Tiny.SegmentBytesMax,
        DiskLimitBytes = 64 << 20,
        FlushInterval = TimeSpan.FromMilliseconds(10),
    };

    /// <summary>Runs to the end, unless the process is killed before.</summary>
    internal void Run()
    {
        Fault.Stopping = point =>
        {
            if (point == order.Point && Interlocked.Decrement(ref _passages) == 0)
            {
                Process.GetCurrentProcess().Kill();
                new ManualResetEventSlim().Wait();
            }
        };
        PileOptions options = Options(order.Promise) with { BackgroundCleaning = order.Seed % 2 == 0 };
        using (ObjectPile pile = ObjectPile.Open(order.Path, options))
        {
            Say(new KillMessage(KillWord.Opened, default, (KillLane)pile.RecoveryReport().Opening, 0, 0, default));
            TellAll(pile);
            Crew(pile);
        }

        Say(new KillMessage(KillWord.Closed, default, default, 0, 0, default));
    }

    private void TellAll(ObjectPile pile)
    {
        foreach (PileItem item in pile.Enumerate())
        {
            (long id, int version, KillLane lane) = KillContent.Read(pile, item);
            Say(new KillMessage(KillWord.Found, default, lane, id, version, item.Pointer));
            _objects[_count++ % Threads].Add((item.Pointer, id));
        }

        PileVerifyReport report = pile.Verify();
        ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
        Say(new KillMessage(KillWord.Verified, default, default, 0, 0, default));
    }

    private void Crew(ObjectPile pile)
    {
        var threads = new Thread[Threads];
        for (int index = 0; index < Threads; index++)
        {
            int own = index;
            threads[own] = new Thread(() => Work(pile, own));
            threads[own].Start();
        }

        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        if (_failure is { } failure)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    private void Work(ObjectPile pile, int own)
    {
        try
        {
            var random = new Random((order.Seed * Threads) + own);
            for (int call = 0; call < order.Calls; call++)
            {
                Step(pile, random, own);
            }
        }
        catch (Exception failure)
        {
            // Told by the thread that waits for all of them.
            _ = Interlocked.CompareExchange(ref _failure, failure, null);
        }
    }

    private void Step(ObjectPile pile, Random random, int own)
    {
        int dice = random.Next(1000);
        if (dice < 8)
        {
            pile.Commit();
            Say(new KillMessage(KillWord.Committed, default, default, 0, (int)pile.DurableThrough(), default));
        }
        else if (dice < 16)
        {
            _ = pile.Compact();
        }
        else if (dice < 20)
        {
            PileVerifyReport report = pile.Verify();
            ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
        }
        else if (dice < 24)
        {
            // False when the pile was just cleared, or is full: that is no failure.
            _ = pile.Durable!.Checkpoints.TryTake(CancellationToken.None);
        }
        else if (dice < 70)
        {
            Batch(pile, random, own);
        }
        else if (dice < (Volatile.Read(ref _count) < ObjectsMax ? 350 : 220))
        {
            Put(pile, random, own);
        }
        else if (TryChoose(random, own, isTaken: dice >= 750, out (PilePointer Pointer, long Id) chosen))
        {
            Change(pile, random, chosen, dice);
        }
    }

    private void Put(ObjectPile pile, Random random, int own)
    {
        (int version, KillLane lane, byte[] content) = Next(random, id: 0);
        var message = new KillMessage(KillWord.Begun, KillCall.Put, lane, version, version, default);
        Say(message);
        PilePointer pointer = KillContent.Put(pile, lane, content);
        Say(message with { Word = KillWord.Done, Pointer = pointer });
        lock (_objects[own])
        {
            _objects[own].Add((pointer, version));
        }

        _ = Interlocked.Increment(ref _count);
    }

    /// <summary>Puts, updates and deletes objects that only this thread's batches know, together.</summary>
    private void Batch(ObjectPile pile, Random random, int own)
    {
        List<(PilePointer Pointer, long Id)> objects = _batched[own];
        List<KillMessage> said = [];
        using PileBatch batch = pile.BeginBatch();
        foreach ((PilePointer pointer, long id) in objects.ToArray())
        {
            if (said.Count < 4 && random.Next(3) == 0)
            {
                KillCall call = random.Next(4) == 0 ? KillCall.Delete : KillCall.Update;
                (int version, KillPage page) = NextOfBatch(random, id);
                said.Add(new KillMessage(KillWord.Begun, call, KillLane.Typed, id, version, pointer));
                if (call == KillCall.Delete)
                {
                    batch.Delete(pointer);
                    _ = objects.Remove((pointer, id));
                }
                else
                {
                    batch.Update(pointer, page);
                }
            }
        }

        if (objects.Count < 12)
        {
            (int version, KillPage page) = NextOfBatch(random, id: 0);
            said.Add(new KillMessage(KillWord.Begun, KillCall.Put, KillLane.Typed, version, version, batch.Put(page)));
            objects.Add((said[^1].Pointer, version));
        }

        if (said.Count > 0)
        {
            said.ForEach(message => Say(message with { Batch = said[0].Version }));
            batch.Commit();
            said.ForEach(message => Say(message with { Word = KillWord.Done, Batch = said[0].Version }));
        }
    }

    private (int Version, KillPage Page) NextOfBatch(Random random, long id)
    {
        int version = Interlocked.Increment(ref _version);
        byte[] content = Content.Make(id == 0 ? version : id, version, KillContent.BytesFor(KillLane.Typed, Content.HeaderBytes + random.Next(random.Next(3) == 0 ? 20_000 : 300)));
        return (version, KillContent.PageOf(content));
    }

    /// <summary>Chooses an object, mostly one of the thread's own; one that is to be deleted leaves the list, sometimes.</summary>
    private bool TryChoose(Random random, int own, bool isTaken, out (PilePointer Pointer, long Id) chosen)
    {
        List<(PilePointer Pointer, long Id)> list = _objects[random.Next(4) == 0 ? random.Next(Threads) : own];
        chosen = default;
        lock (list)
        {
            if (list.Count == 0)
            {
                return false;
            }

            int index = random.Next(random.Next(2) == 0 ? int.Min(list.Count, 20) : list.Count);
            chosen = list[index];
            if (isTaken && random.Next(4) > 0)
            {
                list[index] = list[^1];
                list.RemoveAt(list.Count - 1);
                _ = Interlocked.Decrement(ref _count);
            }

            return true;
        }
    }

    private void Change(ObjectPile pile, Random random, (PilePointer Pointer, long Id) chosen, int dice)
    {
        (int version, KillLane lane, byte[] content) = Next(random, chosen.Id);
        KillCall call = dice < 700 ? KillCall.Update : dice < 750 ? KillCall.Exchange : KillCall.Delete;
        lane = call == KillCall.Exchange ? KillLane.Typed : lane;
        var message = new KillMessage(KillWord.Begun, call, lane, chosen.Id, version, chosen.Pointer);
        Say(message);
        bool isDone = call switch
        {
            KillCall.Update => IsDone(KillContent.TryUpdate(pile, chosen.Pointer, lane, content)),
            KillCall.Exchange => Exchanged(pile, chosen.Pointer, content),
            _ => pile.Delete(chosen.Pointer),
        };
        Say(message with { Word = isDone ? KillWord.Done : KillWord.Gone });
    }

    private static bool Exchanged(ObjectPile pile, PilePointer pointer, byte[] content)
    {
        try
        {
            pile.Update<KillPage, byte[]>(pointer, content, static (_, next) => KillContent.PageOf(next));
            return true;
        }
        catch (Exception refused) when (refused is PileStaleException or PileTypeMismatchException)
        {
            return false;
        }
    }

    private static bool IsDone(PileStatus status) => status == PileStatus.Ok
        || (status == PileStatus.Stale ? false : throw new ModelMismatchException("status", $"an update was answered {status}"));

    private (int Version, KillLane Lane, byte[] Content) Next(Random random, long id)
    {
        int version = Interlocked.Increment(ref _version);
        var lane = (KillLane)random.Next((int)KillLane.Typed + 1);
        int bytes = random.Next(random.Next(25) == 0 ? 40_000 : 300) + Content.HeaderBytes;
        return (version, lane, Content.Make(id == 0 ? version : id, version, KillContent.BytesFor(lane, bytes)));
    }

    private void Say(in KillMessage message) => message.Send(pipe);
}
