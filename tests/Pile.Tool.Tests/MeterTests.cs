using System;
using System.Collections.Generic;
using Pile.Tool.Output;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Progress in words: what is done, of how much, at which rate, and how long the rest takes.</summary>
public sealed class MeterTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public void ItSaysTheRateAndTheTimeLeft()
    {
        var meter = new Meter("verifying", ofBytes: true, _clock);
        _clock.Advance(TimeSpan.FromSeconds(4));
        meter.Report(100 << 20, 300 << 20);
        Assert.Equal("verifying: 100 MiB of 300 MiB, 33 %, 25.0 MiB/s, 8.0 s left", meter.ToString());
        Assert.Equal(1.0 / 3, meter.Share, precision: 6);
    }

    [Fact]
    public void OfObjectsItSaysTheirNumber()
    {
        var meter = new Meter("exporting", ofBytes: false, _clock);
        _clock.Advance(TimeSpan.FromSeconds(1));
        meter.Report(10_000, 250_000);
        Assert.Equal("exporting: 10,000 of 250,000, 4 %, 10,000/s, 24.0 s left", meter.ToString());
    }

    [Fact]
    public void WithoutATerminalALineComesAfterASecondAndThenEachFive()
    {
        List<string> lines = [];
        var meter = new Meter("copying", ofBytes: false, _clock);
        _ = ProgressLines.Run(meter, lines.Add, () =>
        {
            for (int second = 0; second <= 12; second++)
            {
                meter.Report(second, 12);
                _clock.Advance(TimeSpan.FromSeconds(1));
            }

            return 0;
        });
        Assert.Equal(3, lines.Count);
        Assert.All(lines, static line => Assert.Contains("/s", line, StringComparison.Ordinal));
        Assert.All(lines, static line => Assert.Contains("left", line, StringComparison.Ordinal));
    }

    [Fact]
    public void WhatIsOverWithinASecondSaysNothing()
    {
        List<string> lines = [];
        var meter = new Meter("copying", ofBytes: false, _clock);
        _ = ProgressLines.Run(meter, lines.Add, () =>
        {
            meter.Report(1, 2);
            return 0;
        });
        Assert.Empty(lines);
    }
}
