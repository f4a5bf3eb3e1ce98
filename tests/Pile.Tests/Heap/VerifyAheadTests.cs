using System;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>Verify of a pile in files beside its writers: what it looks at before it holds them.</summary>
public sealed class VerifyAheadTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly ObjectPile _pile;
    private readonly PilePointer[] _pointers;

    public VerifyAheadTests()
    {
        _pile = ObjectPile.Open(_directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, WritersMax = 4, BackgroundCleaning = true, FlushInterval = TimeSpan.FromMilliseconds(10) });
        _pointers = [.. Enumerable.Range(0, 3000).Select(index => _pile.PutBytes(index == 1000 ? new byte[50_000] : new byte[100]))];
        _pile.Commit();
    }

    /// <summary>What is damaged, each in a sealed segment.</summary>
    public static TheoryData<string, PileDamage> Damages => new()
    {
        { "payload", PileDamage.PayloadChecksumInvalid },
        { "header", PileDamage.RecordCheckInvalid },
        { "large", PileDamage.PayloadChecksumInvalid },
        { "generation", PileDamage.EntryGenerationInvalid },
        { "another's record", PileDamage.EntrySlotMismatch },
        { "count", PileDamage.SegmentLiveBytes },
    };

    public void Dispose()
    {
        _pile.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void NothingIsFoundInAPileThatOthersWriteTo()
    {
        using var done = new CancellationTokenSource();
        OwnThread[] writers = [.. Enumerable.Range(0, 3).Select(seed => OwnThread.Start(() => Write(new Random(seed), done.Token)))];
        PileFinding[] found = [.. Enumerable.Range(0, 150).SelectMany(_ => _pile.Verify().Findings)];
        done.Cancel();
        foreach (OwnThread writer in writers)
        {
            writer.Join();
        }

        Assert.Empty(found);
        Assert.Empty(_pile.Verify().Findings);
    }

    [Theory]
    [MemberData(nameof(Damages))]
    public void DamageInASegmentIsFoundByNameBesideWriters(string what, PileDamage damage)
    {
        Action undo = Plant(what);
        using var done = new CancellationTokenSource();
        OwnThread writer = OwnThread.Start(() => Put(done.Token));
        PileDamage[] found = [.. _pile.Verify().Findings.Select(static finding => finding.Damage)];
        done.Cancel();
        writer.Join();
        undo();
        Assert.Contains(damage, found);
        Assert.Empty(_pile.Verify().Findings);
    }

    [Fact]
    public void ALargeObjectWhoseDescriptorIsDamagedIsFoundOnce()
    {
        PilePointer pointer = _pointers[1000];
        long location = EntryWord.Location(_pile.Core.Table.Read(pointer.Slot));
        for (int offset = 0; offset < LargeDescriptor.Bytes; offset++)
        {
            ref byte damaged = ref _pile.Core.Directory.Space.Bytes(location, DurableRecord.HeaderBytes + offset, 1)[0];
            damaged ^= 4;
            string where = $"slot {pointer.Slot}";
            PileFinding found = Assert.Single(_pile.Verify().Findings, finding => finding.Where == where);
            Assert.Equal(PileDamage.PayloadChecksumInvalid, found.Damage);
            damaged ^= 4;
        }

        Assert.Empty(_pile.Verify().Findings);
    }

    private Action Plant(string what)
    {
        PilePointer pointer = _pointers[what == "large" ? 1000 : 50];
        FlatSpace space = _pile.Core.Directory.Space;
        ulong entry = _pile.Core.Table.Read(pointer.Slot);
        long location = EntryWord.Location(entry);
        Segment segment = _pile.Core.Directory.At(location);
        Assert.Equal(SegmentState.Sealed, segment.State);
        switch (what)
        {
            case "payload" or "header":
                int offset = what == "payload" ? DurableRecord.HeaderBytes : Limits.WordBytes;
                space.Bytes(location, offset, 1)[0] ^= 4;
                return () => space.Bytes(location, offset, 1)[0] ^= 4;
            case "large":
                long run = LargeDescriptor.Read(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes)).RunLocation;
                space.Bytes(run, 40_000, 1)[0] ^= 4;
                return () => space.Bytes(run, 40_000, 1)[0] ^= 4;
            case "generation":
                _pile.Core.Table.Publish(pointer.Slot, entry + (1UL << EntryWord.GenerationShift));
                break;
            case "another's record":
                _pile.Core.Table.Publish(pointer.Slot, EntryWord.Live(EntryWord.Location(_pile.Core.Table.Read(_pointers[60].Slot)), EntryWord.Generation(entry)));
                break;
            default:
                var core = (Pile.Heap.HeapCore<DurableRecord>)_pile.Core;
                core.Writers.Survivors.Dead.Add(segment.Index, 8);
                return () => core.Writers.Survivors.Dead.Add(segment.Index, -8);
        }

        return () => _pile.Core.Table.Publish(pointer.Slot, entry);
    }

    private void Put(CancellationToken done)
    {
        while (!done.IsCancellationRequested && _pile.TryPutBytes(new byte[200], out _) == PileStatus.Ok)
        {
        }
    }

    private void Write(Random random, CancellationToken done)
    {
        PilePointer[] own = new PilePointer[200];
        byte[] bytes = new byte[40_000];
        while (!done.IsCancellationRequested)
        {
            ref PilePointer pointer = ref own[random.Next(own.Length)];
            byte[] content = bytes[..random.Next(random.Next(50) == 0 ? bytes.Length : 400)];
            if (pointer.IsNull)
            {
                _ = _pile.TryPutBytes(content, out pointer);
            }
            else if (random.Next(2) == 0)
            {
                _ = _pile.TryUpdateBytes(pointer, content);
            }
            else
            {
                Assert.True(_pile.Delete(pointer));
                pointer = default;
            }
        }
    }
}
