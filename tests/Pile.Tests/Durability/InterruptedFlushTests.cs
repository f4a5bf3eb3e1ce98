using System;
using System.Threading;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Flushes of threads that are interrupted: no device has failed by that.</summary>
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
}
