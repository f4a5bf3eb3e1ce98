using System;
using System.IO;
using Xunit;

namespace Pile.Tests.Foreign;

public sealed class ForeignProgramTests
{
    [Fact]
    public void FindOfAFileOnTheSearchPathReturnsItsPath()
    {
        string program = Path.GetFileName(Environment.ProcessPath)!;
        string folder = Path.GetDirectoryName(Environment.ProcessPath)!;

        Assert.Equal(Environment.ProcessPath, ForeignProgram.Find(program, $"{Path.PathSeparator}{folder}"));
    }

    [Fact]
    public void FindOfAMissingProgramReturnsNull()
    {
        Assert.Null(ForeignProgram.Find("no-such-program", AppContext.BaseDirectory));
    }

    [Fact]
    public void DescribeMissingNamesTheProgramAndItsPackage()
    {
        string message = ForeignProgram.DescribeMissing("redis-cli", "redis-tools");

        Assert.Contains("redis-cli", message, StringComparison.Ordinal);
        Assert.Contains("redis-tools", message, StringComparison.Ordinal);
    }
}
