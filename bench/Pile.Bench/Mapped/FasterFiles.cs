using System;
using System.IO;
using System.Numerics;
using FASTER.core;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>FasterKV with the same objects by number, its log and a checkpoint of all of it in files.</summary>
internal static class FasterFiles
{
    private const int RecordBytes = 128;
    private const int PageBits = 25;
    private const int MemoryBitsMin = 26;
    private const int ObjectsPerBucket = 2;
    private const double Slack = 1.15;

    /// <summary>Fills one and takes the checkpoint.</summary>
    internal static void Fill(string directory, int objects)
    {
        using IDevice log = Log(directory);
        using FasterKV<long, SpanByte> store = Open(log, directory, objects);
        using ClientSession<long, SpanByte, SpanByte, int, Empty, Functions> session =
            store.For(new Functions()).NewSession<Functions>();
        byte[] payload = GC.AllocateArray<byte>(Data.PayloadBytes, pinned: true);
        Data.Payload().CopyTo(payload, 0);
        for (long key = 0; key < objects; key++)
        {
            var value = SpanByte.FromFixedSpan(payload);
            _ = session.Upsert(ref key, ref value);
        }

        (bool isTaken, _) = store.TakeFullCheckpointAsync(CheckpointType.FoldOver).AsTask().GetAwaiter().GetResult();
        if (!isTaken)
        {
            throw new InvalidOperationException("FasterKV took no checkpoint.");
        }
    }

    /// <summary>Recovers one and reads an object, in a process just started.</summary>
    internal static Spent Recover(string directory, int objects)
    {
        _ = Spent.Now();
        Spent start = Spent.Now();
        using IDevice log = Log(directory);
        using FasterKV<long, SpanByte> store = Open(log, directory, objects);
        _ = store.Recover();
        using ClientSession<long, SpanByte, SpanByte, int, Empty, Functions> session =
            store.For(new Functions()).NewSession<Functions>();
        long key = objects / 2;
        int bytes = 0;
        Status status = session.Read(ref key, ref bytes);
        Spent spent = Spent.Now() - start;
        if (!status.Found || bytes != Data.PayloadBytes)
        {
            throw new InvalidOperationException($"FasterKV answered {status} with {bytes} bytes.");
        }

        return spent;
    }

    /// <summary>The device of its log.</summary>
    internal static IDevice Log(string directory) => Devices.CreateLogDevice(Path.Combine(directory, "log"));

    /// <summary>A store whose memory holds so many objects.</summary>
    internal static FasterKV<long, SpanByte> Open(IDevice log, string directory, int objects)
    {
        long memory = (long)(objects * (double)RecordBytes * Slack);
        var settings = new LogSettings { LogDevice = log, PageSizeBits = PageBits, MemorySizeBits = int.Max(MemoryBitsMin, BitOperations.Log2((ulong)memory) + 1) };
        long buckets = (long)BitOperations.RoundUpToPowerOf2((ulong)long.Max(64, objects / ObjectsPerBucket));
        return new FasterKV<long, SpanByte>(
            buckets, settings, new CheckpointSettings { CheckpointDir = Path.Combine(directory, "checkpoints") }, concurrencyControlMode: ConcurrencyControlMode.None);
    }

    /// <summary>A read tells the length of what it found.</summary>
    private sealed class Functions : FunctionsBase<long, SpanByte, SpanByte, int, Empty>
    {
        public override bool SingleReader(ref long key, ref SpanByte input, ref SpanByte value, ref int dst, ref ReadInfo readInfo) => Read(ref value, ref dst);

        public override bool ConcurrentReader(ref long key, ref SpanByte input, ref SpanByte value, ref int dst, ref ReadInfo readInfo) => Read(ref value, ref dst);

        public override bool SingleWriter(
            ref long key, ref SpanByte input, ref SpanByte src, ref SpanByte dst, ref int output, ref UpsertInfo upsertInfo, WriteReason reason)
        {
            src.CopyTo(ref dst);
            return true;
        }

        private static bool Read(ref SpanByte value, ref int bytes)
        {
            bytes = value.AsReadOnlySpan().Length;
            return true;
        }
    }
}
