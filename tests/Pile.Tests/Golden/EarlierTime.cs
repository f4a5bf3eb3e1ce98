using System;

namespace Pile.Tests.Golden;

/// <summary>The machine's clock, behind by some time.</summary>
internal sealed class EarlierTime : TimeProvider
{
    internal TimeSpan By { get; set; }

    public override DateTimeOffset GetUtcNow() => base.GetUtcNow() - By;
}
