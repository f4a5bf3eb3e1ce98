using System;
using Xunit;

namespace Pile.Tests;

public sealed class ObjectPileTypedTests
{
    private enum Colour : short
    {
        Red = -3,
    }

    [Fact]
    public void UnmanagedValuesOfEveryShapeComeBack()
    {
        using var pile = new CheckedPile();
        AssertComesBack(pile.It, 5);
        AssertComesBack(pile.It, (byte)200);
        AssertComesBack(pile.It, long.MinValue);
        AssertComesBack(pile.It, 1.5m);
        AssertComesBack(pile.It, double.NaN);
        AssertComesBack(pile.It, Colour.Red);
        AssertComesBack(pile.It, Guid.Parse("01234567-89ab-cdef-0123-456789abcdef"));
        AssertComesBack(pile.It, new Point(1, 2.5, true));
        AssertComesBack(pile.It, 'x');
        AssertComesBack(pile.It, DateTimeOffset.UnixEpoch);
        AssertComesBack(pile.It, (1, 2L, 'c'));
    }

    [Fact]
    public void TextAndSpansArePutWhereThereIsRoomAndAnswerFullWhereThereIsNone()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 2 << 20 });
        Assert.Equal(PileStatus.Ok, pile.It.TryPutString("narrow", out PilePointer narrow));
        Assert.Equal(PileStatus.Ok, pile.It.TryPutString("\u4E16\u754C", out PilePointer wide));
        Assert.Equal(PileStatus.Ok, pile.It.TryPutSpan<long>([1, 2, 3], out PilePointer span));
        Assert.Equal(("narrow", "\u4E16\u754C"), (pile.It.Get<string>(narrow), pile.It.Get<string>(wide)));
        Assert.Equal([1, 2, 3], pile.It.Get<long[]>(span));

        while (pile.It.TryPutBytes(new byte[8], out _) == PileStatus.Ok)
        {
        }

        long objects = pile.Statistics.Objects;
        Assert.Equal(PileStatus.Full, pile.It.TryPutString(new string('n', 20_000), out PilePointer none));
        Assert.Equal(PileStatus.Full, pile.It.TryPutString(new string('\u4E16', 20_000), out _));
        Assert.Equal(PileStatus.Full, pile.It.TryPutSpan<long>(new long[5000], out _));
        Assert.Equal((default, objects), (none, pile.Statistics.Objects));
    }

    [Fact]
    public void ArraysOfUnmanagedElementsComeBack()
    {
        using var pile = new CheckedPile();
        AssertArray(pile.It, [1, 2, 3]);
        AssertArray<int>(pile.It, []);
        AssertArray<byte>(pile.It, [1, 2]);
        AssertArray<sbyte>(pile.It, [-1, 2]);
        AssertArray(pile.It, [Colour.Red, default]);
        AssertArray(pile.It, [new Point(1, 2, false), new Point(3, 4, true)]);
        AssertArray(pile.It, [Guid.Empty]);
        AssertArray(pile.It, ['a', '\uD800']);
        AssertArray(pile.It, new long[500_000]);
    }

    [Fact]
    public void SpansOfValuesComeBackAsArrays()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutSpan<Point>([new Point(1, 2, true)]);

        Assert.Equal([new Point(1, 2, true)], pile.It.Get<Point[]>(pointer));
        Assert.Equal([], pile.It.Get<long[]>(pile.It.PutSpan<long>([])));
    }

    [Fact]
    public void AnObjectReadInAnotherLaneIsRefusedWithBothLanesNamed()
    {
        using var pile = new CheckedPile(TestCodecs.Options);
        PilePointer text = pile.It.PutString("text");
        PilePointer bytes = pile.It.PutBytes([1, 2, 3, 4]);
        PilePointer value = pile.It.PutValue(5);
        PilePointer span = pile.It.PutSpan<int>([1, 2]);
        PilePointer name = pile.It.Put(new TestCodecs.Name("Ada"));

        AssertMismatch<int>(pile.It, text, "a string", "System.Int32");
        AssertMismatch<byte[]>(pile.It, text, "a string", "System.Byte[]");
        AssertMismatch<int[]>(pile.It, text, "a string", "System.Int32[]");
        AssertMismatch<TestCodecs.Name>(pile.It, text, "a string", "Name");
        AssertMismatch<TestCodecs.Pair>(pile.It, text, "a string", "Pair");
        AssertMismatch<int>(pile.It, bytes, "4 bytes", "System.Int32");
        AssertMismatch<string>(pile.It, bytes, "4 bytes", "System.String");
        AssertMismatch<TestCodecs.Pair>(pile.It, bytes, "4 bytes", "Pair");
        AssertMismatch<long>(pile.It, value, "an unmanaged value of 4 bytes", "System.Int64");
        AssertMismatch<string>(pile.It, value, "an unmanaged value of 4 bytes", "System.String");
        AssertMismatch<object>(pile.It, value, "an unmanaged value of 4 bytes", "System.Object");
        AssertMismatch<long>(pile.It, span, "unmanaged values of 8 bytes", "System.Int64");
        AssertMismatch<Guid[]>(pile.It, span, "unmanaged values of 8 bytes", "System.Guid[]");
        AssertMismatch<byte[]>(pile.It, span, "unmanaged values of 8 bytes", "System.Byte[]");
        AssertMismatch<string>(pile.It, name, "codec", "System.String");
        AssertMismatch<TestCodecs.Circle>(pile.It, name, "codec", "Circle");
        AssertMismatch<TestCodecs.Pair>(pile.It, name, "codec", "Pair");
    }

    [Fact]
    public void PutOrUpdateOfNullIsRefusedAndNothingChanges()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("kept");
        PileStatistics before = pile.Statistics;

        Assert.Throws<ArgumentNullException>(() => pile.It.Put((string)null!));
        Assert.Throws<ArgumentNullException>(() => pile.It.Put((object)null!));
        Assert.Throws<ArgumentNullException>(() => pile.It.TryPut((byte[])null!, out _, out _));
        Assert.Throws<ArgumentNullException>(() => pile.It.Update(pointer, (int[])null!));
        Assert.Throws<ArgumentNullException>(() => pile.It.TryUpdate(pointer, (string)null!));
        Assert.Throws<ArgumentNullException>(() => pile.It.Update(pointer, 0, static (string _, int _) => null!));
        Assert.Throws<ArgumentNullException>(() => pile.It.Update<string, int>(pointer, 0, null!));
        Assert.Equal(before, pile.Statistics);
        Assert.Throws<ArgumentNullException>(() => ((ObjectPile)null!).Put(5));
    }

    [Fact]
    public void UpdateTakesAnyTypeAndSizeUnderTheSamePointer()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put("text");

        pile.It.Update(pointer, 5);
        Assert.Equal(5, pile.It.Get<int>(pointer));
        Assert.Equal(PileStatus.Ok, pile.It.TryUpdate(pointer, new long[9000]));
        Assert.Equal(9000, pile.It.Get<long[]>(pointer).Length);
        pile.It.Update(pointer, "again");
        Assert.Equal("again", pile.It.Get(new PileRef<string>(pointer)));
        Assert.Equal(1, pile.Statistics.Objects);
    }

    [Fact]
    public void UpdateWithAChangeSeesEveryUpdateMadeMeanwhile()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put(1);
        int calls = 0;

        pile.It.Update(pointer, 10, (int value, int add) =>
        {
            if (calls++ == 0)
            {
                pile.It.Update(pointer, 100);
            }

            return value + add;
        });

        Assert.Equal(2, calls);
        Assert.Equal(110, pile.It.Get<int>(pointer));
    }

    [Fact]
    public void UpdateWithAChangeIsNotFooledByAnotherValueAtTheSamePlace()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1, MemoryLimitBytes = 1 << 20 });
        PilePointer pointer = pile.It.Put(0L);
        ulong first = pile.Core.Table.Read(pointer.Slot);
        int calls = 0;

        pile.It.Update(pointer, 1_000_000L, (long value, long add) =>
        {
            for (long next = 1; calls == 0 && (next == 1 || pile.Core.Table.Read(pointer.Slot) != first); next++)
            {
                Assert.True(next < 500_000, "the entry never came round to the same place");
                pile.It.Update(pointer, next);
            }

            calls++;
            return value + add;
        });

        Assert.Equal(2, calls);
        Assert.True(pile.It.Get<long>(pointer) > 1_000_000, "an update made meanwhile was lost");
    }

    [Fact]
    public void UpdateWithAChangeOfAnObjectDeletedMeanwhileThrowsStale()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put(1);

        Assert.Throws<PileStaleException>(() => pile.It.Update(pointer, 0, (int value, int _) =>
        {
            pile.It.Delete(pointer);
            return value;
        }));
        Assert.Throws<PileStaleException>(() => pile.It.Update(pointer, 0, static (int value, int _) => value));
    }

    [Fact]
    public void AChangeThatThrowsLeavesTheValue()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put(1);

        Assert.Throws<InvalidOperationException>(() => pile.It.Update(pointer, 0, static int (int _, int _) => throw new InvalidOperationException()));
        Assert.Equal(1, pile.It.Get<int>(pointer));
        Assert.Equal(0, pile.Statistics.LiveBytes - 16);
    }

    [Fact]
    public void TryTakeGivesTheValueOnce()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put("once");

        Assert.Throws<PileTypeMismatchException>(() => pile.It.TryTake(pointer, out int _));
        Assert.True(pile.It.TryTake(pointer, out string? value));
        Assert.Equal("once", value);
        Assert.False(pile.It.TryTake(pointer, out value));
        Assert.Null(value);
        Assert.Equal(0, pile.Statistics.Objects);
    }

    [Fact]
    public void TryGetOfAnotherTypeReportsTypeMismatchAndDefault()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put("text");

        Assert.False(pile.It.TryGet(pointer, out int number, out PileStatus status));
        Assert.Equal((0, PileStatus.TypeMismatch), (number, status));
        Assert.True(pile.It.TryGet(pointer, out IComparable<string>? text));
        Assert.Equal("text", text);
    }

    [Fact]
    public void AnObjectReadAsAnotherTypeIsRefusedByBothNames()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put(new Named("Ada"));

        // What was read is no null for the compiler either: neither a '!' nor a warning.
        Assert.Equal(3, pile.It.TryGet(pointer, out Named? read) ? read.Name.Length : 0);
        AssertMismatch<Uri>(pile.It, pointer, $"{nameof(ObjectPileTypedTests)}+{nameof(Named)}", "System.Uri");
        Assert.Equal(3, pile.It.TryTake(pointer, out read) ? read.Name.Length : 0);
    }

    private static void AssertComesBack<T>(ObjectPile pile, T value)
        where T : notnull
    {
        PilePointer pointer = pile.Put(value);
        Assert.Equal(value, pile.Get<T>(pointer));
        Assert.True(pile.TryGet(pointer, out T? read, out PileStatus status));
        Assert.Equal((value, PileStatus.Ok), (read, status));
        using PileLease lease = pile.Lease(pointer);
        Assert.Equal(PileKind.Value, lease.Kind);
    }

    private static void AssertArray<T>(ObjectPile pile, T[] values) => Assert.Equal(values, pile.Get<T[]>(pile.Put(values)));

    private static void AssertMismatch<T>(ObjectPile pile, PilePointer pointer, string stored, string asked)
    {
        PileTypeMismatchException failure = Assert.Throws<PileTypeMismatchException>(() => pile.Get<T>(pointer));
        Assert.Contains(stored, failure.Message, StringComparison.Ordinal);
        Assert.Contains(asked, failure.Message, StringComparison.Ordinal);
        Assert.Equal((PileStatus.TypeMismatch, pointer), (failure.Status, failure.Pointer));
        Assert.False(pile.TryGet(pointer, out T? _, out PileStatus status));
        Assert.Equal(PileStatus.TypeMismatch, status);
        Assert.Throws<PileTypeMismatchException>(() => pile.TryTake(pointer, out T? _));
    }

    private sealed record Named(string Name);

    private readonly record struct Point(int X, double Y, bool Flag);
}
