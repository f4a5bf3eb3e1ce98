using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>One byte of a flushed segment is not what it was when the cleaner empties the segment: whatever of that a power cut keeps, what
/// was committed is there, or the open says that something is damaged.</summary>
[Trait("Category", "Crash")]
public sealed class DamagedVictimTests : IDisposable
{
    private const string Path = "/pile";
    private const int Cuts = 40;
    private readonly SimulatedFiles _files = new();
    private readonly ObjectPile _pile;
    private readonly List<PilePointer> _kept = [];
    private readonly List<PilePointer> _dead = [];

    public DamagedVictimTests()
    {
        _pile = Open(_files);
        for (int index = 0; index < 40; index++)
        {
            (index % 8 == 0 ? _kept : _dead).Add(_pile.PutBytes(Content(index)));
        }
    }

    public void Dispose()
    {
        _pile.Dispose();
        _files.Dispose();
    }

    [Fact]
    public void WhenItIsInADeadRecordNoOtherObjectIsLostWithoutAWord()
    {
        Damage(_dead[0]);
        Delete();
        Clean();
        _files.Snapshot();
        (int whole, int refused) = (0, 0);
        for (int seed = 0; seed < Cuts; seed++)
        {
            using SimulatedFiles cut = _files.PowerCut(new Random(seed));
            if (IsRefused(cut))
            {
                refused++;

                // What is damaged is known to be dead: nothing is lost by accepting it, and that holds from then on.
                using ObjectPile accepted = Open(cut, acceptLoss: true);
                _ = Assert.Single(accepted.RecoveryReport().Damages);
                RequireKept(accepted, except: default);
                accepted.Commit();
                using SimulatedFiles again = cut.PowerCut(new Random(seed));
                using ObjectPile opened = Open(again, acceptLoss: true);
                RequireKept(opened, except: default);
                continue;
            }

            whole++;
        }

        Assert.True(whole > 0 && refused > 0, $"{whole} opened, {refused} refused");
    }

    [Fact]
    public void WhenItIsInADeadRecordASegmentThatIsUsedAgainIsNoDamage()
    {
        Damage(_dead[0]);
        Delete();
        Clean();
        _pile.Commit();
        Fill();
        for (int seed = 0; seed < Cuts; seed++)
        {
            using SimulatedFiles cut = _files.PowerCut(new Random(seed));
            Assert.False(IsRefused(cut));
        }
    }

    [Fact]
    public void WhenItIsInALiveRecordWhatWasCopiedBehindItIsNotLostWithoutAWord()
    {
        Damage(_kept[1]);
        Delete();
        Clean();
        _pile.Commit();
        Fill();
        for (int seed = 0; seed < Cuts; seed++)
        {
            using SimulatedFiles cut = _files.PowerCut(new Random(seed));
            Assert.True(IsRefused(cut));
            using ObjectPile accepted = Open(cut, acceptLoss: true);
            RequireKept(accepted, except: _kept[1]);
        }
    }

    [Fact]
    public void WhenItIsInALiveRecordTheSegmentIsCleanedOnceThatIsDeleted()
    {
        Damage(_kept[1]);
        Segment victim = _pile.Core.Directory.At(EntryWord.Location(_pile.Core.Table.Read(_kept[1].Slot)));
        Delete();
        for (int pass = 0; pass < 2; pass++)
        {
            Clean();
            _pile.Commit();
            Assert.Equal((SegmentState.Sealed, 0), (victim.State, _pile.GetStatistics().QuarantinedSegments));
        }

        Assert.True(_pile.Delete(_kept[1]));
        _pile.Commit();
        Clean();
        Assert.Equal(SegmentState.Retired, victim.State);
    }

    [Fact]
    public void AfterAKillAndACrawlItsCopiesAreDurableBeforeItIsUsedAgain()
    {
        Damage(_dead[0]);
        Delete();
        Clean();
        using SimulatedFiles killed = _files.Fork();
        foreach (string name in killed.List(Path).Where(static name => name.StartsWith("table", StringComparison.Ordinal)))
        {
            killed.Delete($"{Path}/{name}");
        }

        using ObjectPile crawled = Open(killed);
        Assert.Equal(PileOpening.Crawled, crawled.RecoveryReport().Opening);
        Fill(crawled);
        killed.Snapshot();
        for (int seed = 0; seed < Cuts; seed++)
        {
            using SimulatedFiles cut = killed.PowerCut(new Random(seed));
            _ = IsRefused(cut);
        }
    }

    private static byte[] Content(int index) => [.. Enumerable.Repeat((byte)index, 4000)];

    private static ObjectPile Open(SimulatedFiles files, bool acceptLoss = false)
    {
        ObjectPile pile = ObjectPile.Open(Path, PileOptions.Tiny with
        {
            Files = files,
            MemoryLimitBytes = null,
            DiskLimitBytes = 8 << 20,
            WritersMax = 1,
            BackgroundCleaning = false,
            FlushInterval = TimeSpan.FromHours(1),
            AcceptLoss = acceptLoss,
        });
        pile.Durable!.Core.Log.Flushes.Wanted = static () => { };
        return pile;
    }

    private void Damage(PilePointer pointer)
    {
        long location = EntryWord.Location(_pile.Core.Table.Read(pointer.Slot));
        _pile.Core.Directory.Space.Bytes(location, DurableRecord.HeaderBytes, 100)[50] ^= 1;
        _pile.Commit();
    }

    /// <summary>Deletes what is not kept, and writes on until the segments of before are sealed and flushed.</summary>
    private void Delete()
    {
        _dead.ForEach(pointer => Assert.True(_pile.Delete(pointer)));
        for (int index = 0; index < 4; index++)
        {
            _ = _pile.PutBytes(new byte[15_000]);
        }

        _pile.Commit();
        _pile.Commit();
    }

    private void Clean()
    {
        HeapCore<DurableRecord> core = _pile.Durable!.Core;
        core.Cleaner.EnterRole();
        _ = core.Cleaner.Pass(wantedSegments: 8, utilisationMax: 0.98, waitMs: 0);
        core.Cleaner.ExitRole();
    }

    private void Fill()
    {
        HeapCore<DurableRecord> core = _pile.Durable!.Core;
        core.Cleaner.EnterRole();
        Assert.True(core.Cleaner.Reclaim() > 0);
        core.Cleaner.ExitRole();
        Fill(_pile);
        _files.Snapshot();
    }

    private static void Fill(ObjectPile pile)
    {
        for (int index = 0; index < 40; index++)
        {
            _ = pile.PutBytes(Content(~index));
        }
    }

    /// <summary>Whether an open says that something is damaged; one that does not has everything.</summary>
    private bool IsRefused(SimulatedFiles cut)
    {
        try
        {
            using ObjectPile pile = Open(cut);
            Assert.Empty(pile.RecoveryReport().Damages);
            RequireKept(pile, except: default);
            PileVerifyReport report = pile.Verify();
            Assert.True(report.IsGood, string.Join("; ", report.Findings));
            return false;
        }
        catch (PileCorruptedException)
        {
            return true;
        }
    }

    private void RequireKept(ObjectPile pile, PilePointer except)
    {
        for (int index = 0; index < _kept.Count; index++)
        {
            if (_kept[index] != except)
            {
                Assert.Equal(Content(index * 8), pile.Get<byte[]>(_kept[index]));
            }
        }
    }
}
