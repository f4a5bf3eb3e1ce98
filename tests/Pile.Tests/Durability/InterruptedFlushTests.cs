using System;
using System.IO;
using System.Threading;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Flushes of threads that are interrupted, or find no memory: no device has failed by that.</summary>
public sealed class InterruptedFlushTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    /// <summary>Others hold all writers when it comes to append its marker.</summary>
    [Theory]
    [InlineData(PilePromise.ProcessSafe)]
    [InlineData(PilePromise.PowerSafe)]
    public void ACommitThatIsInterruptedWhileItWaitsForAWriterPoisonsNothing(PilePromise promise)
    {
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1), Promise = promise, BackgroundCleaning = false };
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, options))
        {
            pointer = pile.Put("first");
            pile.Commit();
            pile.Update(pointer, "second");
            pile.Durable!.Core.Writers.HoldAll();
            OwnThread commit = OwnThread.Start(() =>
            {
                Thread.CurrentThread.Interrupt();
                pile.Commit();
                using var never = new SemaphoreSlim(0);
                _ = Assert.Throws<ThreadInterruptedException>(never.Wait);
            });

            // An interrupt that ends the wait has done so by then.
            _ = commit.Waits(TimeSpan.FromMilliseconds(50));
            pile.Durable.Core.Writers.ReleaseAll();
            commit.Join();
            pile.Update(pointer, "third");
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, options);
        Assert.Equal("third", again.Get<string>(pointer));
    }

    /// <summary>Nor has one by want of memory: what was stored is the system's as before, and the process's promise stands.</summary>
    [Fact]
    public void AProcessSafePileWhoseFlushFoundNoMemoryIsOpenedAgain()
    {
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1), Promise = PilePromise.ProcessSafe, BackgroundCleaning = false };
        ObjectPile pile = ObjectPile.Open(_directory.Path, options);
        PilePointer pointer = pile.Put("kept");
        pile.Durable!.Flusher.Fail(new InsufficientMemoryException("planted"));
        _ = Assert.Throws<PilePoisonedException>(pile.Commit);
        _ = Assert.Throws<IOException>(pile.Dispose);
        using ObjectPile again = ObjectPile.Open(_directory.Path, options);
        Assert.Equal("kept", again.Get<string>(pointer));
        Assert.Equal(PileOpening.RolledForward, again.RecoveryReport().Opening);
    }
}
