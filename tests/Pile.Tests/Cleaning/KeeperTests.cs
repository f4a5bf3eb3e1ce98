using System;
using System.Threading;
using Pile.Cleaning;
using Xunit;

namespace Pile.Tests.Cleaning;

/// <summary>The background thread alone.</summary>
public sealed class KeeperTests
{
    /// <summary>The program may have memory again, and the pile wants its thread then.</summary>
    [Fact]
    public void AThreadThatFindsNoMemoryOnceGoesOn()
    {
        var work = new Work();
        using var keeper = new Keeper();
        keeper.Serve(work);
        keeper.WakeNow();
        Assert.True(work.IsDone.Wait(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));
        Assert.Null(keeper.Failure);
    }

    private sealed class Work : IHousekeeping
    {
        private bool _hasThrown;

        internal ManualResetEventSlim IsDone { get; } = new();

        public bool Tick(bool woken)
        {
            if (!_hasThrown)
            {
                _hasThrown = true;
                throw new InsufficientMemoryException("planted");
            }

            IsDone.Set();
            return true;
        }
    }
}
