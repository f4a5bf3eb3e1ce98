using System;
using Pile.Tests.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Closes that end in the midst, other than by a failure of the files, which they expect.</summary>
public sealed class CloseTests
{
    private const string Path = "/above/pile";

    /// <summary>As in a process out of managed memory.</summary>
    [Fact]
    public void ACloseThatThrowsLetsGoOfFilesAndMemoryAllTheSame()
    {
        int thrown = 0;
        for (bool isOver = false; !isOver;)
        {
            using var files = new SimulatedFiles();
            var regions = new FailingRegions(int.MaxValue, forEver: false);
            ObjectPile pile = ObjectPile.Open(Path, Options(files) with { Regions = regions });
            PilePointer pointer = pile.Put("kept");
            pile.Commit();
            int calls = 0;
            int thread = Environment.CurrentManagedThreadId;
            files.AtCall = call =>
            {
                if (Environment.CurrentManagedThreadId == thread && ++calls == thrown + 1)
                {
                    throw new InsufficientMemoryException($"the test wants it so, at {call}");
                }
            };
            Exception? failure = Record.Exception(pile.Dispose);
            isOver = failure is null;
            thrown += isOver ? 0 : 1;
            files.AtCall = null;
            pile.Dispose();

            Assert.True(failure is null or InsufficientMemoryException, $"{failure}");
            Assert.Equal((0, 0L), (files.OpenHandles, regions.MappedBytes));
            using ObjectPile opened = ObjectPile.Open(Path, Options(files));
            Assert.Empty(opened.RecoveryReport().Damages);
            Assert.Equal("kept", opened.Get<string>(pointer));
        }

        Assert.True(thrown > 3, $"{thrown} calls");
    }

    [Fact]
    public void AKillInTheMidstOfACloseLeavesWhatWasCommitted()
    {
        int kills = 0;
        for (bool isOver = false; !isOver;)
        {
            using var files = new SimulatedFiles();
            ObjectPile pile = ObjectPile.Open(Path, Options(files));
            PilePointer pointer = pile.Put("kept");
            pile.Commit();
            files.KillAt(files.Calls + kills + 1);
            Exception? failure = Record.Exception(pile.Dispose);
            isOver = failure is null;
            kills += isOver ? 0 : 1;

            Assert.True(failure is null or SimulatedKillException, $"{failure}");
            using ObjectPile opened = ObjectPile.Open(Path, Options(files.Kill()));
            Assert.Empty(opened.RecoveryReport().Damages);
            Assert.Equal("kept", opened.Get<string>(pointer));
        }

        Assert.True(kills > 3, $"{kills} calls");
    }

    private static PileOptions Options(SimulatedFiles files) => PileOptions.Tiny with
    {
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        Files = files,
        WritersMax = 1,
        BackgroundCleaning = false,
        FlushInterval = TimeSpan.FromHours(1),
    };
}
