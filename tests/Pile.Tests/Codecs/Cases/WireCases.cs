using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Pile.Codecs;
using Pile.Tests.Codecs.Graphs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 100, 103 and 104, and the whole corpus back and forth: what is in the bytes.</summary>
public sealed class WireCases
{
    /// <summary>Names the file in which a run with dynamic code finds the bytes of one without: NoDynamicCodeTests starts it.</summary>
    internal const string BytesVariable = "PILE_CASES_BYTES";

    [Theory]
    [ClassData<CasePlans>]
    public void Case100_NothingNestsDeeperThan64(string plan)
    {
        GraphStore store = new(null, Enum.Parse<PlanMode>(plan));
        foreach (string name in Corpus.Names)
        {
            Assert.InRange(WireWalk.DepthOf(store.Write(Corpus.Make(name))), 0, WireWalk.DepthMax);
        }

        Assert.All(store.Schemas, static schema => Assert.InRange(WireWalk.DepthOf(schema), 1, WireWalk.DepthMax));

        // Every kind of nesting at every phase of the cut.
        for (int phase = 0; phase < 12; phase++)
        {
            object deep = "bottom";
            for (int level = 0; level < 80 + phase; level++)
            {
                deep = ((level + phase) % 9) switch
                {
                    0 => new List<object> { deep },
                    1 => new CaseTypes.Pair { First = deep },
                    2 => new Dictionary<string, object> { ["k"] = deep },
                    3 => new CaseTypes.Link { Next = deep },
                    4 => new CaseTypes.Twin<int, CaseTypes.Twin<object, CaseTypes.Twin<object, decimal>>> { Second = new() { First = deep, Second = new() { First = level } } },
                    5 => new object[,] { { deep } },
                    6 => (1, (2, (3, (4, deep)))),
                    7 => new object[] { new KeyValuePair<int, object>(1, deep) },
                    _ => new HashSet<object> { deep },
                };
            }

            byte[] bytes = store.Write(deep);
            Assert.InRange(WireWalk.DepthOf(bytes), 0, WireWalk.DepthMax);
            Assert.Null(GraphComparer.Difference(deep, store.Read<object>(bytes)));
        }
    }

    [Fact]
    public void Case103_WithoutDynamicCodeTheBytesAreTheSame()
    {
        Dictionary<string, string> bytes = Corpus.Names.ToDictionary(static name => name, static name => Convert.ToHexString(new GraphStore().Write(Corpus.Make(name))));
        if (Environment.GetEnvironmentVariable(BytesVariable) is { Length: > 0 } file)
        {
            Assert.False(RuntimeFeature.IsDynamicCodeSupported);
            Assert.False(AheadOfTime.IsWhole);
            Assert.Equal(File.ReadAllLines(file), Lines(bytes));
        }
        else
        {
            Assert.True(RuntimeFeature.IsDynamicCodeSupported);
        }
    }

    [Theory]
    [ClassData<Corpus.Data>]
    public void Case104_EveryPlanWritesTheSameBytes(string name)
    {
        // As an object, and by its own type where that is known.
        byte[] expected = new GraphStore(null, PlanMode.Reflection).Write(Corpus.Make(name));
        foreach (string plan in CasePlans.Names)
        {
            GraphStore store = new(null, Enum.Parse<PlanMode>(plan));
            object value = Corpus.Make(name);
            Assert.Equal(expected, store.Write(value));
            object got = store.Read<object>(expected);
            Assert.Null(GraphComparer.Difference(value, got));
            Assert.Equal(expected, store.Write(got));
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void TheCorpusComesBackFromAPile(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (string name in Corpus.Names)
        {
            pile.Back(Corpus.Make(name));
        }
    }

    internal static string[] Lines(Dictionary<string, string> bytes) => [.. bytes.Select(static pair => $"{pair.Key} {pair.Value}")];
}
