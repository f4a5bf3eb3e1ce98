using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cleaning;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>Each damage is planted through the parts of the heap; Verify must name it, and be content once it is undone.</summary>
public sealed class HeapVerifierTests : IDisposable
{
    private readonly CheckedPile _pile = new(PileOptions.Tiny with { WritersMax = 1 });
    private readonly PilePointer _small;
    private readonly PilePointer _other;
    private readonly PilePointer _large;

    public HeapVerifierTests()
    {
        for (int index = 0; index < 300; index++)
        {
            _small = _pile.It.PutBytes(new byte[1000]);
        }

        _large = _pile.It.PutBytes(new byte[100_000]);
        _other = _pile.It.PutSpan<ulong>([_small.Slot, 0, 0]);
    }

    private FlatSpace Space => _pile.Core.Directory.Space;

    public void Dispose() => _pile.Dispose();

    /// <summary>All but those of checksums, which only a pile of files has: DurableVerifyTests.</summary>
    public static TheoryData<PileDamage> Damages() =>
        [.. Enum.GetValues<PileDamage>().Where(static damage => damage is not (PileDamage.RecordCheckInvalid or PileDamage.PayloadChecksumInvalid))];

    [Theory]
    [MemberData(nameof(Damages))]
    public void APlantedDamageIsFoundByItsNameAndNothingIsFoundOnceItIsUndone(PileDamage damage)
    {
        _pile.AssertGood();
        Action undo = Plant(damage);

        PileDamage[] found = _pile.Damages();
        undo();

        Assert.Contains(damage, found);
        if (damage != PileDamage.KeeperFailed)
        {
            _pile.AssertGood();
            return;
        }

        _pile.It.Dispose();
    }

    [Fact]
    public void AFindingSaysWhereAndWhatWasExpected()
    {
        _pile.Core.Writers[0]!.CountObjects(5);
        PileFinding finding = Assert.Single(_pile.It.Verify().Findings, static one => one.Damage == PileDamage.ObjectCount);
        _pile.Core.Writers[0]!.CountObjects(-5);

        Assert.Equal(("all writers", "302", "307"), (finding.Where, finding.Expected, finding.Actual));
    }

    [Fact]
    public void AGoodPileIsCountedWhole()
    {
        PileVerifyReport report = _pile.It.Verify();

        Assert.Equal((302, 302), (report.Objects, report.Records));
        Assert.True(report.Segments >= 4);
    }

    [Fact]
    public void VerifyBesideALargePutUnderWayFindsNothing()
    {
        PileVerifyReport? report = null;
        var payload = new Looking(() => OwnThread.Start(() => report = _pile.It.Verify()).Join());

        Assert.Equal(PileStatus.Ok, _pile.It.Writes.TryPut(RecordCode.Bytes, payload, out ulong pointer));
        Assert.Empty(report!.Findings);

        report = null;
        Assert.Equal(PileStatus.Ok, _pile.It.Writes.TryUpdate(pointer, RecordCode.Bytes, payload));
        Assert.Empty(report!.Findings);
    }

    [Fact]
    public void VerifyBesideLargeWritesAtTheLimitFindsNothing()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 4 << 20, WritersMax = 2, BackgroundCleaning = true });
        using var done = new CancellationTokenSource();
        OwnThread[] writers = [.. Enumerable.Range(0, 3).Select(seed => OwnThread.Start(() => WriteLarge(pile.It, new Random(seed), done.Token)))];
        PileFinding[] found = [.. Enumerable.Range(0, 200).SelectMany(_ => pile.It.Verify().Findings)];
        done.Cancel();
        foreach (OwnThread writer in writers)
        {
            writer.Join();
        }

        Assert.Empty(found);
    }

    [Fact]
    public void AfterAClearOnlyTheNameOfAQuarantinedSegmentIsLeft()
    {
        _pile.Core.Retired.Quarantine(SealedSegment);

        _pile.It.Clear();

        Assert.Equal(0, _pile.Statistics.LiveBytes);
        Assert.Equal([PileDamage.SegmentQuarantined], _pile.Damages());
        _pile.It.Dispose();
    }

    private static void WriteLarge(ObjectPile pile, Random random, CancellationToken done)
    {
        byte[] bytes = new byte[400_000];
        PilePointer[] pointers = new PilePointer[8];
        while (!done.IsCancellationRequested)
        {
            ref PilePointer pointer = ref pointers[random.Next(pointers.Length)];
            byte[] content = bytes[..random.Next(random.Next(3) == 0 ? 2000 : bytes.Length)];
            if (pointer.IsNull || pile.TryUpdate(pointer, content) != PileStatus.Ok)
            {
                _ = pile.Delete(pointer);
                _ = pile.TryPut(content, out pointer, out _);
            }
        }
    }

    private Action Plant(PileDamage damage) => damage switch
    {
        PileDamage.EntryOutsideSegments => Move(_small, 1),
        PileDamage.EntryIntoUnusedSegment => Move(_small, _pile.Core.Directory[_pile.Core.Directory.Count - 1].Location),
        PileDamage.EntryBeyondWritten => Move(_small, OpenSegment.Location + (OpenSegment.Bytes / 8) - 1),
        PileDamage.EntrySlotMismatch => Move(_small, LocationOf(_other)),
        PileDamage.EntryNotAtRecord => Move(_small, LocationOf(_other) + 1),
        PileDamage.EntryGenerationInvalid => Entry(_small, EntryWord.Live(LocationOf(_small), 0)),
        PileDamage.RecordCodeInvalid => Word(LocationOf(_small), RecordWord.Pack(_small.Slot, RecordCode.Invalid, 1000)),
        PileDamage.RecordOverrun => Word(LocationOf(_small), RecordWord.Pack(_small.Slot, RecordCode.Bytes, 100_000)),
        PileDamage.SegmentLiveBytes => Dead(OpenSegment.Index),
        PileDamage.SegmentQuarantined => State(SealedSegment, SegmentState.Quarantined),
        PileDamage.LiveBytes => Dead(_pile.Core.Directory.Count - 1),
        PileDamage.ObjectCount => Count(),
        PileDamage.LiveSlotPooled => Pooled(_small.Slot),
        PileDamage.SlotPoolCount => Pooled(_pile.Core.Slots.HighWater - 1),
        PileDamage.SlotsLost => Lost(),
        PileDamage.LargeDescriptorInvalid => Word(LocationOf(_large) + 1, 8),
        PileDamage.LargeRunBytes => Run(),
        PileDamage.UsedBytes => Budget(),
        PileDamage.SegmentPoolCount => State(_pile.Core.Directory[_pile.Core.Directory.Count - 1], SegmentState.Free),
        PileDamage.KeeperFailed => Keeper(),
        _ => throw new ArgumentOutOfRangeException(nameof(damage), damage, "Not planted yet."),
    };

    private Segment OpenSegment => _pile.Core.Writers[0]!.Open!;

    private Segment SealedSegment => AllSegments().First(static segment => segment.State == SegmentState.Sealed);

    private IEnumerable<Segment> AllSegments()
    {
        for (int index = 0; index < _pile.Core.Directory.Count; index++)
        {
            yield return _pile.Core.Directory[index];
        }
    }

    private long LocationOf(PilePointer pointer) => EntryWord.Location(_pile.Core.Table.Read(pointer.Slot));

    private Action Move(PilePointer pointer, long location) =>
        Entry(pointer, EntryWord.Moved(_pile.Core.Table.Read(pointer.Slot), location));

    private Action Entry(PilePointer pointer, ulong entry)
    {
        ulong before = _pile.Core.Table.Read(pointer.Slot);
        _pile.Core.Table.Publish(pointer.Slot, entry);
        return () => _pile.Core.Table.Publish(pointer.Slot, before);
    }

    private Action Word(long location, ulong word)
    {
        ulong before = Space.ReadWord(location);
        Space.WriteWord(location, word);
        return () => Space.WriteWord(location, before);
    }

    private Action Dead(int segment)
    {
        _pile.Core.Writers[0]!.Dead.Add(segment, 8);
        return () => _pile.Core.Writers[0]!.Dead.Add(segment, -8);
    }

    private static Action State(Segment segment, SegmentState state)
    {
        SegmentState before = segment.State;
        segment.State = state;
        return () => segment.State = before;
    }

    private Action Count()
    {
        _pile.Core.Writers[0]!.CountObjects(1);
        return () => _pile.Core.Writers[0]!.CountObjects(-1);
    }

    private Action Pooled(uint slot)
    {
        _pile.Core.Slots.Damage(slot);
        return () => _pile.Core.Slots.Damage(slot);
    }

    private Action Lost()
    {
        // A slot at its last generation is retired and so accounted for; one counted twice is not.
        _pile.Core.Slots.Retire(_small.Slot);
        return () =>
        {
            _pile.It.Clear();
        };
    }

    private Action Run()
    {
        // Counted as published, and no entry refers to it.
        Assert.True(_pile.Core.Large.TryTake(5000, out long location));
        _pile.Core.Large.NotePublished(5000);
        return () => _pile.Core.Large.Retire(location, 5000);
    }

    private Action Budget()
    {
        Assert.True(_pile.Core.Budget.TryTake(8));
        return () => _pile.Core.Budget.GiveBack(8);
    }

    private Action Keeper()
    {
        _pile.Core.Keeper.Serve(new Failing());
        for (int wake = 0; wake < Pile.Primitives.RoomLimits.KeeperStartsAtTakes; wake++)
        {
            _pile.Core.Keeper.Wake();
        }

        SpinWait.SpinUntil(() => _pile.Core.Keeper.Failure is not null);
        return static () => { };
    }

    private sealed class Failing : IHousekeeping
    {
        public bool Tick(bool woken) => throw new InvalidTimeZoneException("planted");
    }

    /// <summary>A large payload that looks at the pile while it is copied: its run is taken and not published.</summary>
    private readonly struct Looking(Action look) : IPayload
    {
        public int Bytes => 100_000;

        public ReadOnlySpan<byte> Source => default;

        public void WriteTo(Span<byte> target) => look();
    }
}
