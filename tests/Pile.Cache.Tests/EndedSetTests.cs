using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A Set whose end has passed stores nothing: it is a removal, for what factories are making too.</summary>
public sealed class EndedSetTests
{
    private static readonly PileEntryOptions _ended = new() { AbsoluteExpiration = DateTimeOffset.MinValue };

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("set")]
    [InlineData("bytes")]
    [InlineData("many")]
    [InlineData("pointer")]
    public async Task WhatAFactoryHadBegunBeforeIsNotStoredAfterIt(string call)
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var gate = new TaskCompletionSource<byte[]>();
        Task<byte[]> before = table.GetOrAddAsync(1, (_, _) => new ValueTask<byte[]>(gate.Task), null, Stop).AsTask();
        PileSetOutcome outcome = call switch
        {
            "set" => table.Set(1, [2], _ended).Outcome,
            "bytes" => table.Set(1, (ReadOnlySpan<byte>)[2], _ended).Outcome,
            "pointer" => table.SetPointer(1, tiny.Cache.Pile.Put(new byte[] { 2 }), _ended).Outcome,
            _ => Many(table),
        };
        Assert.Equal(PileSetOutcome.Expired, outcome);
        Task<byte[]> after = table.GetOrAddAsync(1, static (_, _) => new ValueTask<byte[]>([3]), null, Stop).AsTask();
        gate.SetResult([1]);

        Assert.Equal([1], await before);
        Assert.Equal([3], await after);
        Assert.True(table.TryGet(1, out byte[]? value));
        Assert.Equal([3], value);
    }

    [Fact]
    public async Task AConditionalOneThatIsRefusedChangesNothing()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var gate = new TaskCompletionSource<int>();
        Task<int> before = table.GetOrAddAsync(1, (_, _) => new ValueTask<int>(gate.Task), null, Stop).AsTask();
        Assert.Equal(PileSetOutcome.Refused, table.Add(1, 2, _ended).Outcome);
        gate.SetResult(1);
        Assert.Equal(1, await before);
        Assert.True(table.TryGet(1, out int value) && value == 1);
    }

    [Fact]
    public void AnUpdateToAnEndThatHasPassedIsRefusedAndComesToAnEnd()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        PileEntryVersion version = table.Set(1, 1).Version;
        int calls = 0;
        int Change(int value, int more) => ++calls == 1 ? value + more : throw new InvalidOperationException("it was called again");

        Assert.Equal(PileSetOutcome.Refused, table.TrySet(1, 2, version, _ended).Outcome);
        Assert.Equal(PileSetOutcome.Refused, table.Replace(1, 2, _ended).Outcome);
        Assert.Equal(PileSetOutcome.Refused, table.Update(1, 1, Change, _ended).Outcome);
        Assert.True(table.TryGet(1, out int value) && value == 1);
    }

    /// <summary>The clock runs while the call looks at it: the entry ends before its looks, between two of them, or after them.</summary>
    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void AConditionAndItsOutcomeAgreeWhereTheEntryEndsInBetween(PileTableKind kind)
    {
        using TinyCache tiny = new(inFiles: kind == PileTableKind.Durable);
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { Kind = kind });
        Require(version => table.TrySet(1, 2, version), PileSetOutcome.Replaced);
        Require(_ => table.Replace(1, 2), PileSetOutcome.Replaced);
        Require(_ => table.Update(1, 1, static (value, more) => value + more), PileSetOutcome.Replaced);
        Require(_ => table.Add(1, 2), PileSetOutcome.Inserted);

        void Require(Func<PileEntryVersion, PileSetResult> change, PileSetOutcome met)
        {
            var step = TimeSpan.FromSeconds(1);
            var outcomes = new List<PileSetOutcome>();
            for (int looks = 1; looks < 20; looks++)
            {
                table.Remove(1);
                PileEntryVersion version = table.Set(1, 1, new PileEntryOptions { TimeToLive = looks * step }).Version;
                tiny.Clock.AtRead = () => tiny.Clock.Move(step);
                outcomes.Add(change(version).Outcome);
                tiny.Clock.AtRead = null;
            }

            Assert.Equal([PileSetOutcome.Refused, met], outcomes.Distinct().OrderBy(outcome => outcome == met));
        }
    }

    private static PileSetOutcome Many(PileTable<int, byte[]> table)
    {
        var outcomes = new PileSetOutcome[1];
        _ = table.SetMany([1], [[2]], _ended, outcomes);
        return outcomes[0];
    }
}
