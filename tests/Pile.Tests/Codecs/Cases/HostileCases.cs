using System;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 95 to 98: damaged bytes give a typed error or a value, never a crash, never much memory.</summary>
public sealed class HostileCases
{
    private const int AllFlipsBytesMax = 1500;

    /// <summary>Positions of larger values are taken in steps of about this many, so that the work is bounded.</summary>
    private const int PositionsMax = 6000;

    public static TheoryData<string, string> PlansAndNames => new(CasePlans.Names.SelectMany(static plan => Corpus.Names.Select(name => (plan, name))));

    [Theory]
    [MemberData(nameof(PlansAndNames))]
    public void Case095_EveryByteFlipped(string plan, string name)
    {
        var target = new HostileTarget(Enum.Parse<PlanMode>(plan));
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
    [MemberData(nameof(PlansAndNames))]
    public void Case096_EveryTruncation(string plan, string name)
    {
        var target = new HostileTarget(Enum.Parse<PlanMode>(plan));
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

    private static bool IsNode(GraphStore store, byte[] bytes) => ((CaseTypes.Node)((object[])store.Read<object>(bytes))[2]).Next is not null;

    private static int StepOf(byte[] bytes) => 1 + (bytes.Length / PositionsMax);
}
