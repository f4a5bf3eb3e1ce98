using System;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Xunit;

namespace Pile.Tests;

/// <summary>A pile that is verified when a test is done with it.</summary>
internal sealed class CheckedPile : IDisposable
{
    internal CheckedPile(PileOptions? options = null)
    {
        It = ObjectPile.Create(options ?? PileOptions.Tiny);
    }

    /// <summary>The pile.</summary>
    internal ObjectPile It { get; }

    /// <summary>Its parts.</summary>
    internal HeapCore<MemoryRecord> Core => (HeapCore<MemoryRecord>)It.Core;

    /// <summary>Its counts now.</summary>
    internal PileStatistics Statistics => It.GetStatistics();

    /// <summary>The names of the findings of a verification, without repetitions.</summary>
    internal PileDamage[] Damages() => [.. It.Verify().Findings.Select(static finding => finding.Damage).Distinct().Order()];

    /// <summary>Verifies and says what is wrong.</summary>
    internal void AssertGood()
    {
        PileVerifyReport report = It.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
    }

    public void Dispose()
    {
        if (Core.IsDisposed)
        {
            It.Dispose();
            return;
        }

        PileVerifyReport report = It.Verify();
        It.Dispose();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
    }
}
