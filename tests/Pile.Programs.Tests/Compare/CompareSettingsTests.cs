using System;
using System.Linq;
using Pile.Compare.Contestants;
using Pile.Compare.Running;
using Pile.Compare.Solo;
using Pile.Compare.Workloads;
using Xunit;

namespace Pile.Programs.Tests.Compare;

public sealed class CompareSettingsTests
{
    [Fact]
    public void WithoutOptionsItIsTheWholeTableAtFullSize()
    {
        CompareSettings settings = CompareSettings.Parse([]);

        Assert.Equal((10_000_000, 5, true), (settings.Objects, settings.Rounds, settings.IsWhole));
        Assert.Equal("dotnet run -c Release --project bench/Pile.Compare", settings.Command);
    }

    [Fact]
    public void OptionsAreRead()
    {
        CompareSettings settings = CompareSettings.Parse(["--objects", "20000", "--rounds", "7", "--only", "copy, random; string[32]", "--without", "MemoryCache", "--json", "x.json"]);

        Assert.Equal((20_000, 7, "x.json", false), (settings.Objects, settings.Rounds, settings.JsonPath, settings.IsWhole));
        Assert.Equal(["copy, random", "string[32]"], settings.Only);
        Assert.Equal(["MemoryCache"], settings.Without);
    }

    [Theory]
    [InlineData("--objects", "12", "--objects must lie between 1,000 and 50,000,000, not '12'.")]
    [InlineData("--objects", "many", "not 'many'")]
    [InlineData("--rounds", "4", "--rounds must lie between 5 and 99, not '4'.")]
    [InlineData("--rounds", null, "--rounds wants a value.")]
    [InlineData("--only", "nothing", "--only: there is no 'nothing'. There is: put, 1 thread;")]
    [InlineData("--without", "Pile", "--without: there is no 'Pile'.")]
    [InlineData("--fast", null, "'--fast' is not an option")]
    public void WhatIsWrongIsNamedWithWhatWouldBeRight(string option, string? value, string named)
    {
        ArgumentException fault = Assert.Throws<ArgumentException>(() => CompareSettings.Parse(value is null ? [option] : [option, value]));

        Assert.Contains(named, fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void EveryRowNamesAWorkloadAndAContestantThatAreThere()
    {
        Assert.Equal(["Pile", "FasterKV", "ConcurrentDictionary", "MemoryCache", "array", "PileCache"], Entries.All.Select(entry => entry.Name));
        Assert.Equal(["gen2 pause", "string[32]"], SoloList.All.Select(solo => solo.Name));
        Assert.True(FasterSetting.All.Count >= 3);
        foreach (IWorkload workload in WorkloadList.All)
        {
            Assert.All(workload.Rows, row => Assert.NotNull(WorkloadList.Of(row.Workload)));
            Assert.All(workload.Rows, row => Assert.NotNull(WorkloadList.Of(row.TheirWorkload)));
            Assert.All(workload.Rows, row => Assert.NotNull(Entries.Of(row.Contestant)));
        }
    }
}
