using System;
using System.Linq;
using Microsoft.Extensions.Logging;
using Pile.Caching.Hybrid;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests.Hybrid;

/// <summary>Failures of the cache behind, in the log.</summary>
public sealed class FailureLogTests
{
    [Fact]
    public void TheyAreWrittenOnceASecondWithTheNumberOfThoseLeftOut()
    {
        var log = new RecordedLog();
        var time = new ManualTime();
        using var loggers = new LoggerFactory([log]);
        var failures = new FailureLog(loggers.CreateLogger(CacheLog.Category), time);
        for (int index = 0; index < 5; index++)
        {
            failures.Tell("read", $"{index}", new InvalidOperationException());
        }

        time.Move(TimeSpan.FromMilliseconds(999));
        failures.Tell("write", "5", failure: null);
        time.Move(TimeSpan.FromMilliseconds(1));
        failures.Tell("write", "6", failure: null);

        Assert.Equal(
            [
                "The cache behind failed to read '0'; it is gone on without. 0 more such failures since the last line",
                "The cache behind failed to write '6'; it is gone on without. 5 more such failures since the last line",
            ],
            log.Lines.Select(static line => line.Message));
    }
}
