using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Durability.Model;

[Collection("Protocol model")]
[Trait("Category", "Model")]
public sealed class ProtocolModelTests(ITestOutputHelper output)
{
    private const int SmallStatesMax = 1_000_000;
    private const int LargeStatesMax = 60_000_000;

    public static IEnumerable<TheoryDataRow<string>> Small => Scopes.Small.Select(static scope => new TheoryDataRow<string>(scope.Name));

    public static IEnumerable<TheoryDataRow<string>> Large => Scopes.Large.Select(static scope => new TheoryDataRow<string>(scope.Name));

    [Theory]
    [MemberData(nameof(Small))]
    public void EveryInterleavingKillAndPowerCutKeepsEveryPromise(string name) =>
        Explore(Scopes.Small.Single(scope => scope.Name == name), SmallStatesMax);

    [Theory]
    [Trait("Category", "Soak")]
    [MemberData(nameof(Large))]
    public void EveryInterleavingOfALargerSizeKeepsEveryPromise(string name) =>
        Explore(Scopes.Large.Single(scope => scope.Name == name), LargeStatesMax);

    /// <summary>A field that is not written down would let different states pass for one.</summary>
    [Theory]
    [MemberData(nameof(Small))]
    public void AStateWrittenDownAndReadBackGoesOnAsItWouldHave(string name)
    {
        Scope scope = Scopes.Small.Single(candidate => candidate.Name == name);
        var model = new ProtocolModel(scope);
        byte[] bytes = new byte[World.BytesMax];
        for (int seed = 0; seed < 200; seed++)
        {
            var chooser = new Chooser(new Random(seed));
            var sameChooser = new Chooser(new Random(seed));
            World kept = model.Begin();
            byte[] written = Written(kept);
            for (int step = 0; ; step++)
            {
                World read = model.Begin();
                read.Load(written);
                chooser.Restart();
                sameChooser.Restart();
                if (!model.Step(kept, chooser))
                {
                    break;
                }

                _ = model.Step(read, sameChooser);
                written = Written(kept);
                Assert.True(written.AsSpan().SequenceEqual(Written(read)), $"seed {seed}, step {step}");
            }
        }

        byte[] Written(World world) => bytes[..world.Save(bytes)];
    }

    private void Explore(Scope scope, int statesMax)
    {
        Exploration found = new Explorer(new ProtocolModel(scope)).Run(statesMax);

        output.WriteLine($"{scope}");
        output.WriteLine($"{found}");
        Assert.True(found.Broken is null, string.Join(Environment.NewLine, found.Trace));
        Assert.Equal(scope.Kills > 0, found.Kills > 0);
        Assert.Equal(scope.Cuts > 0, found.Cuts > 0);
        Assert.True(found.Recoveries >= found.Kills + found.Cuts, $"{found}");
    }
}
