using System;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Segments;

namespace Pile.Tests.Segments;

/// <summary>The first writer of a pile in files, held by a thread of its own until this is disposed: others write with the second.</summary>
internal sealed class HeldWriter : IDisposable
{
    private readonly ManualResetEventSlim _isDone = new();
    private readonly Thread _holder;

    internal HeldWriter(WriterSet<DurableRecord> writers)
    {
        using ManualResetEventSlim isHeld = new();
        _holder = new Thread(() =>
        {
            SegmentWriter<DurableRecord> first = writers[0]!;
            EpochLine line = EpochLine.Current;
            while (!first.TryLock(line) && !first.TryTakeAway(line, makeRarer: false))
            {
                Thread.Yield();
            }

            isHeld.Set();
            _isDone.Wait();
            first.Release();
        });
        _holder.Start();
        isHeld.Wait();
    }

    public void Dispose()
    {
        _isDone.Set();
        _holder.Join();
        _isDone.Dispose();
    }
}
