using System;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using Pile.Codecs;
using Pile.Tests.Durability;
using Pile.Tests.Faults;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>A process that takes itself for compiled whole ahead of time, over what another one stored.</summary>
public sealed class CompiledWholeTests
{
    /// <summary>The first read of each type gave an object of defaults, because its type was not known before it; and TryTake deleted what was stored.</summary>
    [Fact]
    public async Task WhatAnotherProgramStoredIsRefusedAtTheFirstReadToo()
    {
        using var directory = new TemporaryDirectory();
        _ = await RunAsync("", directory.Path, "write");
        string[] said = await RunAsync("CompiledWhole", directory.Path, "read");

        const string Refused = nameof(PileTypeMismatchException);
        string[] once = [$"class {Refused}", $"record {Refused}", $"struct {Refused}", $"taken {Refused}", "text tea"];
        Assert.Equal([.. once, .. once, "objects 5"], said);
    }

    /// <summary>Nobody could tell there whether a struct of F#'s is a union: its bytes were stored, which say no case.</summary>
    [Fact]
    public void AStructOfFSharpWhoseFieldsCannotBeSeenMayBeAUnion()
    {
        Type hidden = UnionTypes.Define("struct A", name: "Shop.Hidden");
        Type seen = UnionTypes.Define("struct A of vA|B of vB", name: "Shop.Seen");

        Assert.True(UnionCases.MayBeIn(hidden));
        Assert.False(UnionCases.MayBeIn(seen));
        Assert.False(UnionCases.MayBeIn(UnionTypes.Define("struct A", name: "Shop.Other", isMarked: false)));
        Assert.False(UnionCases.MayBeIn(typeof(Guid)));
    }

    private static async Task<string[]> RunAsync(string fault, string directory, string verb)
    {
        using Process process = FaultProgram.Start(fault, "whole", directory, verb);
        Task<string> errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        string said = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(process.ExitCode == 0, said + await errors);
        return [.. said.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Trim())];
    }
}
