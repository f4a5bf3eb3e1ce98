using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability;

public sealed class DurablePileTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(PilePromise.ProcessSafe)]
    [InlineData(PilePromise.PowerSafe)]
    public void ObjectsComeBackUnderTheirPointersAfterAClose(PilePromise promise)
    {
        var random = new Random(1);
        Dictionary<PilePointer, byte[]> kept = [];
        List<PilePointer> deleted = [];
        for (int session = 0; session < 4; session++)
        {
            using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(promise));
            Assert.Equal(session == 0 ? PileOpening.Created : PileOpening.Clean, pile.RecoveryReport().Opening);
            Assert.Equal(promise, pile.Promise());
            AssertHolds(pile, kept, deleted);
            for (int step = 0; step < 3000; step++)
            {
                Change(pile, random, kept, deleted);
            }

            AssertHolds(pile, kept, deleted);
        }
    }

    [Fact]
    public void EveryLaneComesBack()
    {
        var typed = new Dictionary<string, int[]> { ["one"] = [1], ["two"] = [1, 2] };
        PilePointer[] pointers;
        byte[] large = new byte[1 << 20];
        new Random(2).NextBytes(large);
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PilePromise.PowerSafe)))
        {
            pointers = [pile.Put("narrow"), pile.Put("w\u20acide \ud800"), pile.Put(42.5), pile.Put(new[] { 1L, 2, 3 }), pile.Put(typed), pile.PutBytes(large), pile.PutBytes([])];
            pile.Commit();
            Assert.True(pile.DurableThrough() >= 1);
            Assert.True(pile.DurableThrough() <= pile.LastFlush());
        }

        foreach (PileOpenMode mode in new[] { PileOpenMode.OpenExisting, PileOpenMode.ReadOnly })
        {
            using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(null) with { OpenMode = mode });
            Assert.Equal("narrow", pile.Get<string>(pointers[0]));
            Assert.Equal("w\u20acide \ud800", pile.Get<string>(pointers[1]));
            Assert.Equal(42.5, pile.Get<double>(pointers[2]));
            Assert.Equal([1L, 2, 3], pile.Get<long[]>(pointers[3]));
            Assert.Equal(typed, pile.Get<Dictionary<string, int[]>>(pointers[4]));
            Assert.Equal(large, pile.Get<byte[]>(pointers[5]));
            Assert.Empty(pile.Get<byte[]>(pointers[6]));
            Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
            Assert.Equal(7, pile.GetStatistics().Objects);
        }
    }

    [Fact]
    public void AReadOnlyPileRefusesEveryWriteAndChangesNoFile()
    {
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PilePromise.PowerSafe)))
        {
            pointer = pile.Put("it");
        }

        Dictionary<string, byte[]> before = Files();
        using (ObjectPile first = ObjectPile.Open(_directory.Path, Options(null) with { OpenMode = PileOpenMode.ReadOnly }))
        using (ObjectPile second = ObjectPile.Open(_directory.Path, Options(null) with { OpenMode = PileOpenMode.ReadOnly }))
        {
            Assert.Equal(PileStatus.ReadOnly, Assert.Throws<PileException>(() => first.Put("more")).Status);
            Assert.Equal(PileStatus.ReadOnly, Assert.Throws<PileException>(() => first.Delete(pointer)).Status);
            Assert.Equal(PileStatus.ReadOnly, first.TryUpdate(pointer, "other"));
            Assert.Equal("it", second.Get<string>(pointer));
        }

        Dictionary<string, byte[]> after = Files();
        Assert.Equal(before.Keys.Order(), after.Keys.Order());
        Assert.All(before, file => Assert.True(file.Value.AsSpan().SequenceEqual(after[file.Key]), file.Key));
    }

    [Fact]
    public void TheTableIsBuiltAnewWhenItsFileIsGone()
    {
        var random = new Random(3);
        Dictionary<PilePointer, byte[]> kept = [];
        List<PilePointer> deleted = [];
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PilePromise.ProcessSafe)))
        {
            for (int step = 0; step < 20_000; step++)
            {
                Change(pile, random, kept, deleted);
            }
        }

        DeleteTable();
        using ObjectPile opened = ObjectPile.Open(_directory.Path, Options(null));
        Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
        Assert.Equal(1, opened.RecoveryReport().Recoveries);
        AssertHolds(opened, kept, deleted);
    }

    [Fact]
    public void ThePromiseThatAPileWasCreatedWithStands()
    {
        ObjectPile.Open(_directory.Path, Options(PilePromise.ProcessSafe)).Dispose();

        PileException refused = Assert.Throws<PileException>(() => ObjectPile.Open(_directory.Path, Options(PilePromise.PowerSafe)));
        Assert.Equal(PileStatus.Format, refused.Status);
        Assert.Contains("ProcessSafe", refused.Message, StringComparison.Ordinal);
        _ = Assert.Throws<ArgumentException>(() => ObjectPile.Open(_directory.Path, Options(PilePromise.Memory)));
        ObjectPile.Open(_directory.Path, Options(null)).Dispose();
    }

    [Fact]
    public void AnOpenDirectoryIsRefusedByItsOwner()
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PilePromise.PowerSafe));
        PileLockedException refused = Assert.Throws<PileLockedException>(() => ObjectPile.Open(_directory.Path, Options(null)));
        Assert.Equal(Environment.ProcessId, refused.OwnerProcessId);
    }

    [Theory]
    [InlineData(PilePromise.ProcessSafe, false)]
    [InlineData(PilePromise.PowerSafe, true)]
    public void AClearSurvivesAndItsPointersNeverComeBack(PilePromise promise, bool crawls)
    {
        List<PilePointer> cleared = [];
        for (int session = 0; session < 4; session++)
        {
            if (crawls && session > 0)
            {
                DeleteTable();
            }

            using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(promise));
            Assert.Equal(session == 0 ? PileOpening.Created : crawls ? PileOpening.Crawled : PileOpening.Clean, pile.RecoveryReport().Opening);
            Assert.Equal(session == 0 ? 0 : 100, pile.Verify().Objects);
            Assert.True(pile.GetStatistics().IsCounted);
            Assert.All(cleared, pointer => Assert.False(pile.TryLease(pointer, out _)));
            List<PilePointer> put = [.. Enumerable.Range(0, 5000).Select(index => pile.Put(new Dictionary<string, int> { ["it"] = index }))];
            pile.Roots.Set("first", put[0]);
            pile.Clear();
            Assert.Empty(pile.Roots.Names);
            cleared.AddRange(put);
            Assert.All(cleared, pointer => Assert.False(pile.TryLease(pointer, out _)));
            List<PilePointer> kept = [.. Enumerable.Range(0, 100).Select(index => pile.Put(new Dictionary<string, int> { ["kept"] = index }))];
            Assert.All(cleared, pointer => Assert.False(pile.TryLease(pointer, out _)));
            Assert.Equal(99, pile.Get<Dictionary<string, int>>(kept[99])["kept"]);
            Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
        }
    }

    [Fact]
    public void RootsLeadToTheirObjectsAfterEveryKindOfOpen()
    {
        for (int session = 0; session < 6; session++)
        {
            if (session % 3 == 2)
            {
                DeleteTable();
            }

            using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PilePromise.PowerSafe));
            if (session > 0)
            {
                Assert.Equal(["a", "counter", $"s{session - 1}", "\u00e9\ud83d\ude00"], pile.Roots.Names);
                Assert.True(pile.Roots.TryGet("counter", out PilePointer counter));
                Assert.Equal(session - 1, pile.Get<int>(counter));
                Assert.True(pile.Roots.Remove($"s{session - 1}"));
                Assert.False(pile.Roots.Remove($"s{session - 1}"));
                Assert.True(pile.Roots.TryExchange("counter", pile.Put(session), counter));
                Assert.False(pile.Roots.TryExchange("counter", default, counter));
                Assert.True(pile.Delete(counter));
            }
            else
            {
                pile.Roots.Set("a", pile.Put("a"));
                pile.Roots.Set("\u00e9\ud83d\ude00", pile.Put("b"));
                Assert.True(pile.Roots.TryExchange("counter", pile.Put(0), default));
                _ = Assert.Throws<ArgumentException>(() => pile.Roots.Set(string.Empty, default));
                _ = Assert.Throws<ArgumentException>(() => pile.Roots.Set("\ud800", default));
                _ = Assert.Throws<ArgumentException>(() => pile.Roots.Set(new string('x', 1025), default));
            }

            pile.Roots.Set($"s{session}", pile.Put(session));
            Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
        }
    }

    [Fact]
    public async Task ManyCommitsShareFlushes()
    {
        await using ObjectPile pile = await ObjectPile.OpenAsync(_directory.Path, Options(PilePromise.PowerSafe), cancellationToken: TestContext.Current.CancellationToken);
        Task[] commits = [.. Enumerable.Range(0, 8).Select(index => Task.Run(async () =>
        {
            for (int round = 0; round < 20; round++)
            {
                _ = pile.Put($"{index} {round}");
                if (index % 2 == 0)
                {
                    pile.Commit();
                }
                else
                {
                    await pile.CommitAsync(TestContext.Current.CancellationToken);
                }
            }
        }, TestContext.Current.CancellationToken))];
        await Task.WhenAll(commits);
        Assert.InRange(pile.DurableThrough(), 20, 200);
    }

    [Fact]
    public void ThreadsThatNameAStoredTypeForTheFirstTimeAtOnceAllGetIt()
    {
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PilePromise.ProcessSafe)))
        {
            pointer = pile.Put(new Note { Text = "it" });
        }

        for (int round = 0; round < 30; round++)
        {
            using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(null) with { OpenMode = PileOpenMode.ReadOnly });
            using var crew = new Crew();
            for (int index = 0; index < 4; index++)
            {
                crew.Add($"{index}", () => Assert.Equal("it", pile.Get<Note>(pointer).Text));
            }

            crew.Run($"round {round}");
        }
    }

    [Fact]
    public void APileInMemoryHasNothingToCommit()
    {
        using ObjectPile pile = ObjectPile.Create();
        _ = Assert.Throws<InvalidOperationException>(pile.Commit);
        Assert.Equal(PilePromise.Memory, pile.Promise());
    }

    private void DeleteTable()
    {
        foreach (string table in Directory.GetFiles(_directory.Path, "table.*"))
        {
            File.Delete(table);
        }
    }

    private static PileOptions Options(PilePromise? promise) =>
        PileOptions.Tiny with { Promise = promise, MemoryLimitBytes = null, FlushInterval = TimeSpan.FromMilliseconds(10) };

    private static void Change(ObjectPile pile, Random random, Dictionary<PilePointer, byte[]> kept, List<PilePointer> deleted)
    {
        byte[] bytes = new byte[random.Next(random.Next(20) == 0 ? 40_000 : 200)];
        random.NextBytes(bytes);
        int kind = kept.Count == 0 ? 0 : random.Next(4);
        PilePointer pointer = kind == 0 ? pile.PutBytes(bytes) : kept.Keys.ElementAt(random.Next(int.Min(kept.Count, 50)));
        if (kind == 1)
        {
            Assert.True(pile.Delete(pointer));
            Assert.True(kept.Remove(pointer));
            deleted.Add(pointer);
            return;
        }

        if (kind > 1)
        {
            pile.UpdateBytes(pointer, bytes);
        }

        kept[pointer] = bytes;
    }

    private static void AssertHolds(ObjectPile pile, Dictionary<PilePointer, byte[]> kept, List<PilePointer> deleted)
    {
        foreach ((PilePointer pointer, byte[] bytes) in kept)
        {
            using PileLease lease = pile.Lease(pointer);
            Assert.True(lease.Bytes.SequenceEqual(bytes));
        }

        Assert.All(deleted, pointer => Assert.False(pile.TryLease(pointer, out _)));
        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        Assert.Equal(kept.Count, report.Objects);
    }

    private Dictionary<string, byte[]> Files() => Directory
        .GetFiles(_directory.Path, "*", SearchOption.AllDirectories)
        .Where(static path => !path.EndsWith("lock", StringComparison.Ordinal))
        .ToDictionary(static path => path, File.ReadAllBytes);

    private sealed class Note
    {
        public string Text { get; set; } = string.Empty;
    }
}
