using System;
using System.Buffers;
using System.Collections.Generic;
using Xunit;

namespace Pile.Tests;

/// <summary>Each mistake has its own status and exception, names the value, and changes nothing.</summary>
public sealed class ErrorTests
{
    [Fact]
    public void EveryOperationOnAStalePointerSaysStaleAndChangesNothing()
    {
        using var pile = new CheckedPile();
        PilePointer kept = pile.It.PutString("kept");
        PilePointer pointer = pile.It.PutString("gone");
        Assert.True(pile.It.Delete(pointer));
        PileStatistics before = pile.Statistics;

        foreach (Action operation in Operations(pile.It, pointer))
        {
            PileStaleException failure = Assert.Throws<PileStaleException>(operation);
            Assert.Equal((PileStatus.Stale, pointer), (failure.Status, failure.Pointer));
            Assert.Contains(pointer.ToString(), failure.Message, StringComparison.Ordinal);
        }

        AssertRefused(pile.It, pointer, PileStatus.Stale);
        Assert.Equal(before with { AppendedBytes = 0, LiveBytes = 0 }, pile.Statistics with { AppendedBytes = 0, LiveBytes = 0 });
        Assert.Equal(before.LiveBytes, pile.Statistics.LiveBytes);
        Assert.Equal("kept", pile.It.Get<string>(kept));
    }

    [Fact]
    public void EveryOperationOnAnotherPilesPointerSaysWrongPileAndChangesNothing()
    {
        using var pile = new CheckedPile();
        using var other = new CheckedPile();
        pile.It.PutString("kept");
        PilePointer pointer = other.It.PutString("theirs");
        PileStatistics before = pile.Statistics;

        foreach (PilePointer wrong in (PilePointer[])[pointer, PilePointer.Null])
        {
            foreach (Action operation in Operations(pile.It, wrong))
            {
                PileException failure = Assert.Throws<PileException>(operation);
                Assert.Equal((PileStatus.WrongPile, wrong), (failure.Status, failure.Pointer));
                Assert.Contains(wrong.ToString(), failure.Message, StringComparison.Ordinal);
            }

            AssertRefused(pile.It, wrong, PileStatus.WrongPile);
        }

        Assert.Equal(before, pile.Statistics);
        Assert.Equal("theirs", other.It.Get<string>(pointer));
    }

    [Fact]
    public void AReadThatIsRefusedSaysWhatWasCalled()
    {
        using var pile = new CheckedPile();
        using var other = new CheckedPile();
        PilePointer stale = pile.It.PutString("gone");
        Assert.True(pile.It.Delete(stale));
        foreach (PilePointer wrong in (PilePointer[])[stale, PilePointer.Null, other.It.PutString("theirs")])
        {
            (string Name, Action Call)[] reads =
            [
                ("Lease", () => pile.It.Lease(wrong).Dispose()),
                ("Pin", () => pile.It.Pin(wrong).Dispose()),
                ("Get", () => pile.It.Get<string>(wrong)),
                ("Get", () => pile.It.Get(new PileRef<int>(wrong))),
                ("TryCopyTo", () => pile.It.TryCopyTo(wrong, [], out _)),
                ("CopyTo", () => pile.It.CopyTo(wrong, new ArrayBufferWriter<byte>())),
                ("Describe", () => pile.It.Describe(wrong)),
                ("ToJson", () => pile.It.ToJson(wrong)),
                ("TypeNameOf", () => pile.It.TypeNameOf(wrong)),
            ];
            Assert.All(reads, read => Assert.StartsWith($"{read.Name}: pointer {wrong}", Assert.ThrowsAny<PileException>(read.Call).Message, StringComparison.Ordinal));
        }
    }

    [Fact]
    public void EveryOperationOnADisposedPileSaysDisposed()
    {
        var pile = ObjectPile.Create(PileOptions.Tiny);
        PilePointer pointer = pile.PutString("gone");
        PileBufferWriter writer = pile.BeginPut();
        pile.Dispose();
        pile.Dispose();

        List<Action> operations = [.. Operations(pile, pointer)];
        operations.AddRange(
        [
            () => pile.PutBytes([1]),
            () => pile.PutBytes(new byte[1 << 20]),
            () => pile.PutString("x"),
            () => pile.PutString("\u0100"),
            () => pile.PutValue(1),
            () => pile.PutSpan<int>([1]),
            () => pile.Put("x"),
            () => pile.PutBytes(TestSequence.Of(2, 5)),
            () => writer.Commit(),
            () => pile.Reserve(5).Commit(),
            () => pile.Delete(pointer),
            () => pile.TryTake(pointer, out string? _),
            () => pile.GetMany(new[] { pointer }, new string?[1].AsSpan()),
            () => Visit(pile, pointer),
            () => pile.Enumerate().MoveNext(),
            () => pile.GetStatistics(),
            () => pile.Verify(),
            pile.Clear,
            () => pile.Compact(cancellationToken: TestContext.Current.CancellationToken),
        ]);
        for (int index = 0; index < operations.Count; index++)
        {
            Exception? failure = Record.Exception(operations[index]);
            Assert.True(failure is ObjectDisposedException, $"operation {index}: {failure}");
        }

        Assert.False(pile.TryLease(pointer, out _));
        Assert.False(pile.TryLease(pointer, out _, out PileStatus status));
        Assert.Equal(PileStatus.Disposed, status);
        Assert.False(pile.TryGet(pointer, out string? _, out status));
        Assert.Equal(PileStatus.Disposed, status);
        Assert.False(pile.TryPut("x", out _, out status));
        Assert.Equal(PileStatus.Disposed, status);
        Assert.Equal(PileStatus.Disposed, pile.TryUpdate(pointer, "x"));
        pile.MemoryLimitBytes = 5 << 20;
        writer.Dispose();
    }

    [Fact]
    public void AFullPileSaysFullWithTheValueAndTheLimitAndChangesNothing()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 2 << 20 });
        List<PilePointer> pointers = [];
        PilePointer pointer;
        PileStatus status;
        while (pile.It.TryPut(new byte[1000], out pointer, out status))
        {
            pointers.Add(pointer);
        }

        Assert.Equal((PileStatus.Full, true), (status, pointer.IsNull));
        Assert.InRange(pointers.Count, 1300, 2100);
        PileFullException failure = Assert.Throws<PileFullException>(() => pile.It.PutBytes(new byte[1000]));
        Assert.Equal(PileStatus.Full, failure.Status);
        Assert.Contains("1,000", failure.Message, StringComparison.Ordinal);
        Assert.Contains("2,097,152", failure.Message, StringComparison.Ordinal);
        Assert.Throws<PileFullException>(() => pile.It.PutBytes(new byte[3 << 20]));
        Assert.Equal(PileStatus.Full, pile.It.TryUpdate(pointers[0], new byte[3 << 20]));
        Assert.Throws<PileFullException>(() => pile.It.Update(pointers[0], new byte[3 << 20]));
        Assert.Equal(new byte[1000], pile.It.Get<byte[]>(pointers[0]));
        Assert.Equal(pointers.Count, pile.Statistics.Objects);
        Assert.True(pile.Statistics.PeakUsedBytes <= 2 << 20);

        for (int index = 0; index < pointers.Count; index += 2)
        {
            Assert.True(pile.It.Delete(pointers[index]));
        }

        for (int index = 0; index < pointers.Count / 3; index++)
        {
            pile.It.PutBytes(new byte[1000]);
        }
    }

    [Fact]
    public void MemoryFreedUnderAnOwnLeaseIsNotNeededWhileTheLimitLeavesRoom()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1 });
        PilePointer pointer = pile.It.PutBytes(new byte[1000]);
        using PileLease lease = pile.It.Lease(pointer);

        for (int round = 0; round < 5000; round++)
        {
            pile.It.UpdateBytes(pointer, new byte[1000]);
        }

        Assert.Equal(0, pile.Statistics.Refusals);
    }

    [Fact]
    public void APileWithoutSlotsLeftSaysFullAndGoesOnAfterADelete()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { SlotsMax = 100, WritersMax = 1 });
        List<PilePointer> pointers = [];
        while (pile.It.TryPut(1, out PilePointer pointer, out _))
        {
            Assert.True(pointers.Count < 10_000_000);
            pointers.Add(pointer);
        }

        Assert.True(pile.It.Delete(pointers[0]));
        Assert.Equal(2, pile.It.Get<int>(pile.It.Put(2)));
    }

    private static IEnumerable<Action> Operations(ObjectPile pile, PilePointer pointer) =>
    [
        () => pile.Lease(pointer).Dispose(),
        () => pile.Pin(pointer).Dispose(),
        () => pile.TryCopyTo(pointer, [], out _),
        () => pile.CopyTo(pointer, new ArrayBufferWriter<byte>()),
        () => pile.Get<string>(pointer),
        () => pile.Get(new PileRef<string>(pointer)),
        () => pile.UpdateBytes(pointer, [1]),
        () => pile.UpdateBytes(pointer, new byte[100_000]),
        () => pile.UpdateString(pointer, "x"),
        () => pile.Update(pointer, 5),
        () => pile.Update(pointer, 0, static (string text, int _) => text),
        () => Read(pile, pointer),
    ];

    private static void AssertRefused(ObjectPile pile, PilePointer pointer, PileStatus expected)
    {
        Assert.False(pile.TryLease(pointer, out PileLease lease));
        lease.Dispose();
        Assert.False(pile.TryLease(pointer, out _, out PileStatus status));
        Assert.Equal(expected, status);
        Assert.False(pile.TryGet(pointer, out string? _, out status));
        Assert.Equal(expected, status);
        Assert.Equal(expected, pile.TryUpdate(pointer, 5));
        Assert.False(pile.TryTake(pointer, out string? _));
        Assert.False(pile.Delete(pointer));
    }

    private static void Read(ObjectPile pile, PilePointer pointer)
    {
        using var reader = new PileReader(pile);
        _ = reader[pointer];
    }

    private static void Visit(ObjectPile pile, PilePointer pointer)
    {
        var visitor = default(Nothing);
        pile.LeaseMany([pointer], ref visitor);
    }

    private struct Nothing : IPileVisitor
    {
        public readonly void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes)
        {
        }
    }
}
