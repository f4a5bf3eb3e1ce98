using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using Pile.Codecs;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Graphs that are one path: tracked at first, then only watched for a ring.</summary>
public sealed class ChainTests
{
    private const int Row = CodecLimits.IdentitiesInRow;
    private static readonly string _longText = new('x', CodecLimits.TrackedStringChars);

    [Theory]
    [ClassData<CasePlans>]
    public void RingsOfAllLengthsBehindTailsOfAllLengthsStayRings(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (int tail in (int[])[0, 1, 2, Row - 3, Row - 2, Row - 1, Row, Row + 1, 59, 60, 61, 62, 63, 64, 65, 200, 1000])
        {
            foreach (int ring in (int[])[0, 1, 2, 3, Row - 1, Row, Row + 1, 60, 61, 62, 63, 500, 3000])
            {
                if (tail + ring > 0)
                {
                    Assert.Equal((tail, ring), ShapeOf(pile.It.Get<Link>(pile.It.Put(Links(tail, ring)))));
                }
            }
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void APathThatEndsIsWrittenWithoutReferences(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Equal(0xc2, pile.BytesOf(Links(5000, 0))[1]);
        Assert.Equal(0xc3, pile.BytesOf(Links(5000, 1))[1]);
        _ = pile.Back(Links(5000, 0));
        _ = pile.Back(Links(4000, 1000));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void APathThroughTwoClassesMayBeARingToo(string plan)
    {
        using var pile = new CasePile(plan);
        var first = new Odd { Number = 1 };
        Odd last = first;
        for (int index = 0; index < 300; index++)
        {
            last.Next = new Even { Next = new Odd { Number = index } };
            last = last.Next.Next;
        }

        _ = pile.Back(new Head { First = first });
        last.Next = new Even { Next = first.Next!.Next!.Next!.Next };
        Head got = pile.Back(new Head { First = first });
        HashSet<object> seen = new(ReferenceEqualityComparer.Instance);
        Odd at = got.First!;
        while (seen.Add(at))
        {
            at = at.Next!.Next!;
        }

        Assert.Same(got.First!.Next!.Next!.Next!.Next, at);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void TextsOfAPathKeepTheirIdentity(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (int ring in (int[])[0, 100])
        {
            Named first = new() { Text = _longText };
            Named last = first;
            for (int index = 0; index < 500; index++)
            {
                last = last.Next = new Named { Text = index % 3 == 0 ? _longText : new string('y', CodecLimits.TrackedStringChars + index) };
            }

            last.Next = ring > 0 ? first : null;
            Named got = pile.Back(first);
            Assert.Same(got.Text, got.Next!.Text);
            Assert.Same(got.Text, got.Next.Next!.Next!.Next!.Text);
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AStructInTwoPlacesMakesNoPath(string plan)
    {
        using var pile = new CasePile(plan);
        Forked end = new();
        Forked first = end;
        for (int index = 0; index < 100; index++)
        {
            first = new Forked { Left = new Way { To = first }, Right = new Way { To = first } };
        }

        Forked got = pile.Back(first);
        Assert.Same(got.Left.To, got.Right.To);
        Assert.False(Plans.Of<Forked>().Analysis.IsChain);
        Assert.True(Plans.Of<Link>().Analysis.IsChain);
        Assert.True(Plans.Of<Head>().Analysis.IsChain);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void ObjectsOfARingAreCalledOnceEach(string plan)
    {
        using var pile = new CasePile(plan);
        Called first = new();
        Called last = first;
        for (int index = 1; index < 200; index++)
        {
            last = last.Next = new Called();
        }

        last.Next = first;
        Called at = pile.It.Get<Called>(pile.It.Put(first));
        for (int index = 0; index < 200; index++)
        {
            Assert.Equal((0, 1), (at.Written, at.Read));
            Assert.Equal((1, 0), (first.Written, first.Read));
            (at, first) = (at.Next!, first.Next!);
        }
    }

    [Fact]
    public void AWriterHoldsNoObjectOfAPathAfterwards()
    {
        using var pile = new CasePile("Emitted");
        WeakReference[] nodes = PutAndForget(pile.It);
        GC.Collect();
        foreach (WeakReference node in nodes)
        {
            Assert.False(node.IsAlive);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] PutAndForget(ObjectPile pile)
    {
        List<WeakReference> nodes = [];
        Link first = Links(1000, 0);
        _ = pile.Put(first);
        for (Link? at = first; at is not null; at = at.Next)
        {
            nodes.Add(new WeakReference(at));
        }

        return [.. nodes];
    }

    private static Link Links(int tail, int ring)
    {
        var links = new Link[tail + ring];
        for (int index = links.Length - 1; index >= 0; index--)
        {
            links[index] = new Link(index, index == links.Length - 1 ? null : links[index + 1]);
        }

        if (ring > 0)
        {
            links[^1].Next = links[tail];
        }

        return links[0];
    }

    private static (int Tail, int Ring) ShapeOf(Link first)
    {
        Dictionary<Link, int> seen = new(ReferenceEqualityComparer.Instance);
        Link? at = first;
        for (int index = 0; at is not null && seen.TryAdd(at, index); index++)
        {
            Assert.Equal(index, at.Value);
            at = at.Next;
        }

        int tail = at is null ? seen.Count : seen[at];
        return (tail, seen.Count - tail);
    }

    internal sealed class Link(int value, Link? next)
    {
        public readonly int Value = value;

        public Link? Next = next;
    }

    internal sealed class Head
    {
        public Odd? First;
    }

    internal sealed class Odd
    {
        public int Number;

        public Even? Next;
    }

    internal sealed class Even
    {
        public Odd? Next;
    }

    internal sealed class Named
    {
        public string? Text;

        public Named? Next;
    }

    internal sealed class Forked
    {
        public Way Left;

        public Way Right;
    }

    internal struct Way
    {
        public Forked? To;
    }

    internal sealed class Called
    {
        public Called? Next;

        [NonSerialized]
        public int Written;

        [NonSerialized]
        public int Read;

        [OnSerialized]
        private void AfterWriting(StreamingContext context) => Written++;

        [OnDeserialized]
        private void AfterReading(StreamingContext context) => Read++;
    }
}
