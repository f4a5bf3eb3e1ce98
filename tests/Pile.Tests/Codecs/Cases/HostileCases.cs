using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 95 to 98 and a bounded fuzz: damaged bytes give a typed error or a value, never a crash, never much memory.</summary>
public sealed class HostileCases
{
    private const int Seed = 20261121;
    private const int Mutations = 100_000;
    private const int AllFlipsBytesMax = 1500;

    /// <summary>Positions of larger values are taken in steps of about this many, so that the work is bounded.</summary>
    private const int PositionsMax = 6000;

    [Theory]
    [ClassData<Corpus.Data>]
    public void Case095_EveryByteFlipped(string name)
    {
        var target = new HostileTarget(PlanMode.Emitted);
        byte[] bytes = target.Take(name);
        byte[] flips = bytes.Length <= AllFlipsBytesMax ? [1, 2, 4, 8, 16, 32, 64, 128, 255] : [255, 1];
        byte[] damaged = [.. bytes];
        for (int at = 0; at < bytes.Length; at += StepOf(bytes))
        {
            foreach (byte flip in flips)
            {
                damaged[at] ^= flip;
                target.Read(damaged);
                damaged[at] = bytes[at];
            }
        }

        target.AssertGood();
    }

    [Theory]
    [ClassData<Corpus.Data>]
    public void Case096_EveryTruncation(string name)
    {
        var target = new HostileTarget(PlanMode.Reflection);
        byte[] bytes = target.Take(name);
        for (int length = 0; length < bytes.Length; length += StepOf(bytes))
        {
            Assert.IsType<PileCorruptedException>(target.Read(bytes[..length]));
        }

        Assert.IsType<PileCorruptedException>(target.Read([.. bytes, 0xc0]));
        target.AssertGood();
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case097_AReferenceToAnObjectOfAnotherTypeIsRejected(string plan)
    {
        GraphStore store = new(null, Enum.Parse<PlanMode>(plan));
        var node = new CaseTypes.Node { Value = 1 };
        byte[] bytes = store.Write(new object[] { new string('t', 64), node, new CaseTypes.Node { Value = 2, Next = node } });
        (int at, int target) = Assert.Single(WireWalk.References(bytes));
        int text = bytes.AsSpan().IndexOf((byte)0xd9);
        Assert.True(text > 0 && target > text);
        byte[] wrong = [.. bytes];
        wrong[at + 2] = (byte)text;
        Assert.Throws<PileCorruptedException>(() => store.Read<object>(wrong));

        // To every other byte of the value: the node itself is the only one that fits.
        for (int offset = 0; offset < bytes.Length; offset++)
        {
            wrong[at + 2] = (byte)offset;
            Exception? failure = Record.Exception(() => store.Read<object>(wrong));
            Assert.True(offset == target ? failure is null : failure is PileCorruptedException || IsNode(store, wrong), $"offset {offset}: {failure}");
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case098_AReferenceForwardOrToItselfIsRejected(string plan)
    {
        GraphStore store = new(null, Enum.Parse<PlanMode>(plan));
        object shared = new CaseTypes.Pair();
        byte[] bytes = store.Write(new object[] { shared, shared, new CaseTypes.Pair() });
        (int at, _) = Assert.Single(WireWalk.References(bytes));
        for (int target = at; target < 256; target++)
        {
            byte[] wrong = [.. bytes];
            wrong[at + 2] = (byte)target;
            Assert.Throws<PileCorruptedException>(() => store.Read<object>(wrong));
        }
    }

    [Fact]
    public void AHundredThousandMutationsGiveATypedErrorOrAValue()
    {
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {Seed}");
        var random = new Random(Seed);
        HostileTarget[] targets = [.. new[] { PlanMode.Emitted, PlanMode.Reflection }.Select(static mode => new HostileTarget(mode))];
        byte[][] corpus = [.. Corpus.Names.Select(targets[0].Take)];
        _ = Corpus.Names.Select(targets[1].Take).Count();
        corpus = [.. corpus.Where(static bytes => bytes.Length < PositionsMax)];
        for (int round = 0; round < Mutations; round++)
        {
            targets[round & 1].Read(Mutate(random, corpus));
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

    private static bool IsNode(GraphStore store, byte[] bytes) => ((CaseTypes.Node)((object[])store.Read<object>(bytes))[2]).Next is not null;

    private static int StepOf(byte[] bytes) => 1 + (bytes.Length / PositionsMax);
}
