using System;
using System.Threading;
using Pile.Epochs;
using Xunit;

namespace Pile.Tests;

/// <summary>What gathers while readers hold it back. The reader leaves and comes back when
/// the pile's clock has been looked at so often: it gets on while writers wait, and not while they write.</summary>
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

    /// <summary>The pile's clock, and a thread that is inside the pile: at each so many looks at the clock it leaves and comes back,
    /// while the one who looked waits for that.</summary>
    private sealed class SlowReader(int looks, TimeSpan step) : TimeProvider, IDisposable
    {
        private readonly SemaphoreSlim _go = new(0);
        private readonly SemaphoreSlim _gone = new(0);
        private OwnThread? _thread;
        private long _ticks;
        private int _looksLeft;
        private bool _ends;

        internal int Stays { get; private set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp()
        {
            if (_thread is not null && --_looksLeft <= 0)
            {
                ComeBack();
            }

            return _ticks += step.Ticks;
        }

        public void Dispose()
        {
            if (_thread is { } thread)
            {
                _thread = null;
                _ends = true;
                _go.Release();
                thread.Join();
            }
        }

        internal void Follow(ObjectPile pile)
        {
            long idWord = pile.Core.Epochs.IdWord;
            OwnThread thread = OwnThread.Start(() => Stay(idWord));
            ComeBack();
            _thread = thread;
        }

        private void ComeBack()
        {
            _looksLeft = looks;
            Stays++;
            _go.Release();
            _gone.Wait();
        }

        private void Stay(long idWord)
        {
            EpochLine line = EpochLine.Current;
            for (_go.Wait(); !_ends; _go.Wait())
            {
                long held = line.Enter(idWord);
                _gone.Release();
                _go.Wait();
                line.Leave(held);
                _go.Release();
            }
        }
    }
}
