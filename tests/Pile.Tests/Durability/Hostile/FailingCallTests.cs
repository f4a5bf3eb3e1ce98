using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>Each call of the files fails once, or for ever, by each kind of failure.</summary>
[Trait("Category", "Crash")]
public sealed class FailingCallTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(PilePromise.PowerSafe, nameof(FileFailure.NoSpace), true)]
    [InlineData(PilePromise.PowerSafe, nameof(FileFailure.Other), false)]
    [InlineData(PilePromise.ProcessSafe, nameof(FileFailure.Denied), true)]
    public void WhicheverCallFailsTheErrorIsTypedAndNothingIsLost(PilePromise promise, string kind, bool forEver) => LiveAll(promise, kind, forEver);

    [Theory]
    [Trait("Category", "Soak")]
    [InlineData(PilePromise.PowerSafe, nameof(FileFailure.NoSpace), false)]
    [InlineData(PilePromise.PowerSafe, nameof(FileFailure.Other), true)]
    [InlineData(PilePromise.PowerSafe, nameof(FileFailure.Denied), true)]
    [InlineData(PilePromise.PowerSafe, nameof(FileFailure.Denied), false)]
    [InlineData(PilePromise.ProcessSafe, nameof(FileFailure.NoSpace), true)]
    [InlineData(PilePromise.ProcessSafe, nameof(FileFailure.NoSpace), false)]
    [InlineData(PilePromise.ProcessSafe, nameof(FileFailure.Other), true)]
    [InlineData(PilePromise.ProcessSafe, nameof(FileFailure.Other), false)]
    public void AndInEveryOtherWay(PilePromise promise, string kind, bool forEver) => LiveAll(promise, kind, forEver);

    private void LiveAll(PilePromise promise, string kind, bool forEver)
    {
        List<string> wrong = [];
        int failAt = 0;
        bool hasFailed;
        do
        {
            failAt++;
            using var life = new FailingLife(promise, Enum.Parse<FileFailure>(kind));
            hasFailed = true;
            try
            {
                hasFailed = life.Live(failAt, forEver);
            }
            catch (Exception failure)
            {
                wrong.Add($"call {failAt}: {life.Failed.Split('\n')[0]} -> {failure}");
            }
        }
        while (hasFailed);

        output.WriteLine($"{failAt - 1} calls");
        Assert.True(wrong.Count == 0, $"{wrong.Count} of {failAt - 1}\n" + string.Join("\n\n", wrong.Take(10)));
        Assert.InRange(failAt, 200, 5000);
    }
}
