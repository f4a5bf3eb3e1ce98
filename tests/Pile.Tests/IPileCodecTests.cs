using System;
using System.IO;
using Xunit;

namespace Pile.Tests;

public sealed class IPileCodecTests
{
    [Fact]
    public void ObjectsOfRegisteredTypesComeBackEqual()
    {
        using var pile = new CheckedPile(TestCodecs.Options);
        var name = new TestCodecs.Name("Ada");
        var pair = new TestCodecs.Pair("key", 5);

        PilePointer first = pile.It.Put(name);
        PilePointer second = pile.It.Put(pair);
        Assert.Equal(name, pile.It.Get<TestCodecs.Name>(first));
        Assert.Equal(pair, pile.It.Get<TestCodecs.Pair>(second));
        Assert.Equal(name, pile.It.Get<object>(first));
        Assert.Equal((object)pair, pile.It.Get<object>(second));
        using PileLease lease = pile.It.Lease(first);
        Assert.Equal(PileKind.Codec, lease.Kind);
    }

    [Fact]
    public void AValuePutAsItsBaseIsStoredAndReadByItsOwnCodec()
    {
        using var pile = new CheckedPile(TestCodecs.Options);
        TestCodecs.Shape shape = new TestCodecs.Circle("round", 3);
        object boxed = shape;

        PilePointer asBase = pile.It.Put(shape);
        PilePointer asObject = pile.It.Put(boxed);

        Assert.Equal(shape, pile.It.Get<TestCodecs.Circle>(asBase));
        Assert.Equal(shape, pile.It.Get<TestCodecs.Shape>(asObject));
        Assert.Equal("text", pile.It.Get<object>(pile.It.Put<object>("text")));
        Assert.Equal(new byte[] { 1 }, pile.It.Get<object>(pile.It.Put<object>(new byte[] { 1 })));
    }

    [Fact]
    public void ATypeWithoutCodecTakesTheGeneralOne()
    {
        using var pile = new CheckedPile(TestCodecs.Options);

        PilePointer flat = pile.It.Put(new TestCodecs.Shape("flat"));
        PilePointer name = pile.It.Put(new TestCodecs.Name("own"));
        using (PileLease general = pile.It.Lease(flat))
        {
            Assert.Equal(PileKind.Typed, general.Kind);
        }

        using PileLease registered = pile.It.Lease(name);
        Assert.Equal(PileKind.Codec, registered.Kind);
        Assert.Equal(new TestCodecs.Shape("flat"), pile.It.Get<TestCodecs.Shape>(flat));
        Assert.Equal(5, pile.It.Get<object>(pile.It.Put<object>(5)));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(100_000)]
    public void ACodecMayReadMemoryAndWhatItKeepsShowsNothingAfterwards(int length)
    {
        var codec = new TestCodecs.MemoryCodec();
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = new PileCodecs().Add(1, codec) });
        var name = new TestCodecs.Name(new string('n', length));

        PilePointer pointer = pile.It.Put(name);
        Assert.Equal(name, pile.It.Get<TestCodecs.Name>(pointer));
        Assert.Equal(name, pile.It.Get<object>(pointer));

        Assert.Equal(length, codec.Kept.Length);
        Assert.Contains("a call of IPileMemoryCodec.Read that has ended", Assert.Throws<ObjectDisposedException>(() => codec.Kept.Span.Length).Message, StringComparison.Ordinal);
        Assert.Throws<ObjectDisposedException>(() => codec.Kept.Pin());
    }

    [Fact]
    public void ACodecThatThrowsWhileItReadsMemoryKeepsNoneEither()
    {
        var codec = new TestCodecs.MemoryCodec();
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = new PileCodecs().Add(1, codec) });
        PilePointer pointer = pile.It.Put(new TestCodecs.Name("before"));
        codec.Failing = new InvalidDataException("planted");

        Assert.Throws<InvalidDataException>(() => pile.It.Get<TestCodecs.Name>(pointer));
        Assert.Throws<ObjectDisposedException>(() => codec.Kept.Span.Length);
    }

    [Fact]
    public void ATypeWithALaneOfItsOwnTakesNoCodec()
    {
        AssertRefused<string>();
        AssertRefused<byte[]>();
        AssertRefused<int>();
        AssertRefused<DayOfWeek>();
        AssertRefused<(long, double)>();
        AssertRefused<char[]>();
        Assert.NotNull(new PileCodecs().Add(1, new TestCodecs.Disposing<string[]>()).Add(2, new TestCodecs.Disposing<(string, int)>()));
    }

    [Fact]
    public void ACodecThatDisposesItsWriterFailsAloneAndTheNextPutIsWhole()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with
        {
            Codecs = new PileCodecs().Add(1, new TestCodecs.Disposing<Version>()).Add(2, new TestCodecs.NameCodec()),
        });

        Assert.Throws<InvalidOperationException>(() => pile.It.Put(new Version(1, 2)));
        var name = new TestCodecs.Name("Ada");
        Assert.Equal(name, pile.It.Get<TestCodecs.Name>(pile.It.Put(name)));
        Assert.Equal(1, pile.Statistics.Objects);
    }

    private static void AssertRefused<T>()
        where T : notnull =>
        Assert.Throws<ArgumentException>(() => new PileCodecs().Add(1, new TestCodecs.Disposing<T>()));

    [Fact]
    public void ACodecThatThrowsWhileWritingChangesNothing()
    {
        var codec = new TestCodecs.NameCodec();
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = new PileCodecs().Add(1, codec) });
        PilePointer pointer = pile.It.Put(new TestCodecs.Name("before"));
        PileStatistics before = pile.Statistics;
        codec.Failing = static () => new InvalidDataException("planted");

        Assert.Throws<InvalidDataException>(() => pile.It.Put(new TestCodecs.Name("a")));
        Assert.Throws<InvalidDataException>(() => pile.It.Update(pointer, new TestCodecs.Name("b")));
        Assert.Throws<InvalidDataException>(() => pile.It.TryUpdate(pointer, new TestCodecs.Name("c")));
        Assert.Equal(before, pile.Statistics);
        codec.Failing = static () => null;
        Assert.Equal("before", pile.It.Get<TestCodecs.Name>(pointer).Text);
        Assert.Equal("after", pile.It.Get<TestCodecs.Name>(pile.It.Put(new TestCodecs.Name("after"))).Text);
    }

    [Fact]
    public void ACodecThatThrowsWhileReadingLeavesNoLeaseAndNothingDeleted()
    {
        var codec = new TestCodecs.NameCodec();
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = new PileCodecs().Add(1, codec) });
        PilePointer pointer = pile.It.Put(new TestCodecs.Name("before"));
        codec.Failing = static () => new InvalidDataException("planted");

        Assert.Throws<InvalidDataException>(() => pile.It.Get<TestCodecs.Name>(pointer));
        Assert.Throws<InvalidDataException>(() => pile.It.TryGet(pointer, out TestCodecs.Name? _));
        Assert.Throws<InvalidDataException>(() => pile.It.TryTake(pointer, out TestCodecs.Name? _));
        Assert.Throws<InvalidDataException>(() => pile.It.Update(pointer, 0, static (TestCodecs.Name name, int _) => name));
        codec.Failing = static () => null;
        Assert.Equal("before", pile.It.Get<TestCodecs.Name>(pointer).Text);
        Assert.Equal(1, pile.Statistics.Objects);
    }

    [Fact]
    public void ACodecMayPutAndGetInTheSamePileWhileItWritesAndReads()
    {
        var codec = new TestCodecs.NodeCodec();
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = new PileCodecs().Add(1, codec) });
        codec.Pile = pile.It;
        TestCodecs.Node? chain = null;
        for (byte number = 1; number <= 50; number++)
        {
            chain = new TestCodecs.Node(number, chain);
        }

        PilePointer pointer = pile.It.Put(chain!);

        Assert.Equal(50, pile.Statistics.Objects);
        Assert.Equal(chain, pile.It.Get<TestCodecs.Node>(pointer));
        Assert.Equal(chain, pile.It.Get<TestCodecs.Node>(pointer));
    }

    [Fact]
    public void ALargeObjectOfACodecComesBack()
    {
        using var pile = new CheckedPile(TestCodecs.Options);
        var name = new TestCodecs.Name(new string('x', 2_000_000));

        Assert.Equal(name, pile.It.Get<TestCodecs.Name>(pile.It.Put(name)));
        Assert.Equal(1, pile.Statistics.LargeObjects);
    }

    [Fact]
    public void ARegistryRefusesWhatIsTakenAndIsFrozenForThePile()
    {
        var codecs = new PileCodecs();
        codecs.Add(1, new TestCodecs.NameCodec());

        Assert.Throws<ArgumentException>(() => codecs.Add(2, new TestCodecs.NameCodec()));
        Assert.Throws<ArgumentException>(() => codecs.Add(1, new TestCodecs.PairCodec()));
        Assert.Throws<ArgumentOutOfRangeException>(() => codecs.Add(0, new TestCodecs.PairCodec()));
        Assert.Throws<ArgumentNullException>(() => codecs.Add<TestCodecs.Pair>(3, null!));
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = codecs });
        codecs.Add(2, new TestCodecs.PairCodec());
        using PileLease late = pile.It.Lease(pile.It.Put(new TestCodecs.Pair("late", 1)));
        Assert.Equal(PileKind.Typed, late.Kind);
    }
}
