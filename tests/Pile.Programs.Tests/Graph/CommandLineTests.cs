using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using PackageGraph;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class CommandLineTests
{
    [Fact]
    public async Task OptionsReachTheRun()
    {
        RunOptions? seen = null;

        int code = await Build(options => seen = options).Parse("--objects 300000 --live --seconds 1.5 --why a,b --json --page p.html --result r.json").InvokeAsync(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(0, code);
        Assert.Equal(
            new RunOptions
            {
                Objects = 300_000,
                Live = true,
                Seconds = 1.5,
                Why = "a,b",
                Json = true,
                Page = "p.html",
                Result = "r.json",
                Command = "dotnet run -c Release --project samples/PackageGraph -- --objects 300000 --live --seconds 1.5 --why a,b --json --page p.html --result r.json",
            },
            seen);
    }

    [Fact]
    public async Task WithoutOptionsItIsTwoMillionObjects()
    {
        RunOptions? seen = null;

        await Build(options => seen = options).Parse("").InvokeAsync(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(new RunOptions { Command = "dotnet run -c Release --project samples/PackageGraph" }, seen);
        Assert.Equal(2_000_000, seen!.Objects);
    }

    [Theory]
    [InlineData("--objects 0", "--objects must lie between 1 and 1,000,000,000, not 0.")]
    [InlineData("--objects 1000000001", "--objects must lie between")]
    [InlineData("--objects many", "'many'")]
    [InlineData("--seconds -1", "--seconds must lie between 0.1 and 3,600, not -1.")]
    [InlineData("--why vim", "--why wants two packages")]
    [InlineData("--verbose", "--verbose")]
    [InlineData("whole --objects 5", "--objects")]
    public void ABadArgumentIsNamedWithWhatWouldBeRight(string line, string named)
    {
        ParseResult parsed = Build(_ => { }).Parse(line);

        Assert.Contains(parsed.Errors, error => error.Message.Contains(named, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(typeof(OperationCanceledException), 130)]
    [InlineData(typeof(InsufficientMemoryException), 3)]
    [InlineData(typeof(InvalidDataException), 2)]
    [InlineData(typeof(ArgumentException), 2)]
    public async Task AFailureHasItsExitCode(Type failure, int code)
    {
        RootCommand command = Build(_ => throw (Exception)Activator.CreateInstance(failure)!);

        Assert.Equal(code, await command.Parse("").InvokeAsync(cancellationToken: TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task CancellingEndsTheRun()
    {
        using var stop = new CancellationTokenSource();
        RootCommand command = CommandLine.Build((_, cancel) =>
        {
            stop.Cancel();
            cancel.WaitHandle.WaitOne();
            cancel.ThrowIfCancellationRequested();
            return 0;
        });

        Assert.Equal(130, await command.Parse("").InvokeAsync(cancellationToken: stop.Token));
    }

    [Fact]
    public void TooLittleMemoryNamesTheLimitAndTheWayOut()
    {
        InsufficientMemoryException fault = Assert.Throws<InsufficientMemoryException>(() => MemoryNeed.Check(2_000_000, 1L << 30, "the container"));

        Assert.Equal("2,000,000 objects, held twice, need about 2,689 MiB, but the container leaves 1,024 MiB: --objects 500000 fits; or raise that limit.", fault.Message);
        MemoryNeed.Check(500_000, 1L << 30, "the container");
    }

    private static RootCommand Build(Action<RunOptions> run) => CommandLine.Build((options, _) =>
    {
        run(options);
        return 0;
    });
}
