using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>A bounded fuzz in every run: random damage to the corpus gives a typed error or a value, never a crash, never much
/// memory.</summary>
public sealed class GraphFuzzTests
{
    private const int Seed = 20261121;
    private const int Mutations = 100_000;
    private const int BytesMax = 6000;

    [Fact]
    public void AHundredThousandMutationsGiveATypedErrorOrAValue()
    {
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {Seed}");
        var random = new Random(Seed);
        HostileTarget[] targets = [.. CasePlans.Names.Select(static plan => new HostileTarget(Enum.Parse<PlanMode>(plan)))];
        byte[][] corpus = [];
        foreach (HostileTarget target in targets)
        {
            // Each plan is used once before; the bytes are the same.
            corpus = [.. Corpus.Names.Select(target.Take)];
        }

        corpus = [.. corpus.Where(static bytes => bytes.Length < BytesMax)];
        for (int round = 0; round < Mutations; round++)
        {
            targets[round % targets.Length].Read(Mutate(random, corpus));
        }

        Assert.All(targets, static target => target.AssertGood());
    }

    private static byte[] Mutate(Random random, byte[][] corpus)
    {
        List<byte> bytes = [.. corpus[random.Next(corpus.Length)]];
        for (int changes = random.Next(1, 5); changes > 0 && bytes.Count > 0; changes--)
        {
            int at = random.Next(bytes.Count);
            switch (random.Next(6))
            {
                case 0:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 2:
                    bytes.RemoveRange(at, int.Min(random.Next(1, 9), bytes.Count - at));
                    break;
                case 3:
                    bytes.InsertRange(at, bytes.GetRange(at, int.Min(random.Next(1, 9), bytes.Count - at)));
                    break;
                case 4:
                    // The bytes with which values begin, and edges of lengths.
                    bytes[at] = (byte)(0xc0 + random.Next(0x20));
                    break;
                default:
                    byte[] other = corpus[random.Next(corpus.Length)];
                    int from = random.Next(other.Length);
                    int count = int.Min(random.Next(1, 30), int.Min(other.Length - from, bytes.Count - at));
                    for (int index = 0; index < count; index++)
                    {
                        bytes[at + index] = other[from + index];
                    }

                    break;
            }
        }

        return [.. bytes];
    }
}
