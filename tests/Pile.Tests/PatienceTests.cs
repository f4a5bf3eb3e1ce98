using System;
using System.Threading;
using Pile.Epochs;
using Xunit;

namespace Pile.Tests;

/// <summary>What gathers while readers hold it back. The reader is a second line of the test's own thread, which leaves and comes
/// back when the pile's clock has been looked at so often: it gets on while writers wait, and not while they write.</summary>
public sealed class PatienceTests
{
    [Fact]
    public void ALargeObjectUpdatedAgainstAReaderThatIsAlwaysInsideStaysNearItsSize()
    {
        var reader = new SlowReader(looks: 200, TimeSpan.FromMicroseconds(40));
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 256 << 20, TimeProvider = reader });
        using SlowReader inside = reader;
        byte[] bytes = new byte[200_000];
        PilePointer pointer = pile.It.PutBytes(bytes);
        reader.Follow(pile.It);
        for (int update = 0; update < 400; update++)
        {
            pile.It.UpdateBytes(pointer, bytes);
        }

        Assert.InRange(pile.Statistics.PeakUsedBytes, 4 << 20, 20 << 20);
        Assert.True(reader.Stays > 2);
    }

    [Fact]
    public void AReaderThatNeverLeavesMakesWritersOfLargeObjectsWaitSeldom()
    {
        var reader = new SlowReader(looks: int.MaxValue, TimeSpan.FromMilliseconds(1));
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20, TimeProvider = reader });
        using SlowReader inside = reader;
        byte[] bytes = new byte[200_000];
        PilePointer pointer = pile.It.PutBytes(bytes);
        reader.Follow(pile.It);
        int updates = 0;
        while (pile.It.TryUpdate(pointer, bytes) == PileStatus.Ok)
        {
            Assert.True(++updates < 1000);
        }

        Assert.InRange(updates, 300, 340);
        Assert.InRange(pile.Statistics.UsedBytes, 60 << 20, 64 << 20);
    }

    [Fact]
    public void MemoryGrownWhileAReaderHeldCleaningBackGoesBackAsThePileIsWrittenToWithoutAKeeper()
    {
        var reader = new SlowReader(looks: int.MaxValue, TimeSpan.FromMilliseconds(1));
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20, WritersMax = 1, TimeProvider = reader });
        using SlowReader inside = reader;
        PilePointer[] pointers = new PilePointer[1500];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.It.PutBytes(new byte[1000]);
        }

        reader.Follow(pile.It);
        Update(pile.It, pointers, updates: 10_000);
        Assert.InRange(pile.Statistics.SegmentBytes, 8 << 20, 16 << 20);

        reader.Dispose();
        Update(pile.It, pointers, updates: 20_000);

        // Within the ratio, but for a few segments that are on their way.
        Assert.InRange(pile.Statistics.SegmentBytes, 0, pile.Core.Policy.ResidentBytesMax(64 << 10) + (4 << 16));
        Assert.Equal(0, pile.Statistics.Refusals);
    }

    private static void Update(ObjectPile pile, PilePointer[] pointers, int updates)
    {
        var random = new Random(17);
        byte[] bytes = new byte[1000];
        for (int update = 0; update < updates; update++)
        {
            pile.UpdateBytes(pointers[random.Next(pointers.Length)], bytes);
        }
    }

    private sealed class SlowReader(int looks, TimeSpan step) : TimeProvider, IDisposable
    {
        private readonly EpochLine _line = EpochLines.Add(Thread.CurrentThread);
        private long _idWord;
        private long _ticks;
        private int _looksLeft;

        internal int Stays { get; private set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp()
        {
            if (_idWord != 0 && --_looksLeft <= 0)
            {
                Enter();
            }

            return _ticks += step.Ticks;
        }

        public void Dispose()
        {
            _idWord = 0;
            _line.Leave(0);
        }

        internal void Follow(ObjectPile pile)
        {
            _idWord = pile.Core.Epochs.IdWord;
            Enter();
        }

        private void Enter()
        {
            _line.Leave(0);
            _ = _line.Enter(_idWord);
            _looksLeft = looks;
            Stays++;
        }
    }
}
