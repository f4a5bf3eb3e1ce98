using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Fields that were removed hold objects that what is left refers to, and these have lost fields too.</summary>
public sealed class GoneOverTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(60)]
    [InlineData(200)]
    [InlineData(3000)]
    public void ARingReadsOnTheWayThatIsLeft(int count)
    {
        LinkOld[] links = [.. Enumerable.Range(0, count).Select(static number => new LinkOld { Number = number })];
        for (int number = 0; number < count; number++)
        {
            links[number].Next = links[(number + 1) % count];
            links[number].Back = links[(number + count - 1) % count];
        }

        LinkNew first = Pass<LinkNew>(links[0]);
        LinkNew at = first;
        for (int step = 0; step < count; step++)
        {
            Assert.Equal((count - step) % count, at.Number);
            at = at.Back!;
        }

        Assert.Same(first, at);
    }

    [Theory]
    [InlineData(5)]
    [InlineData(62)]
    [InlineData(500)]
    public void WhatWasGoneOverIsGoneOverOnce(int deep)
    {
        var shared = new LinkOld { Number = 7 };
        LinkOld inner = shared;
        for (int level = 0; level < deep; level++)
        {
            inner = inner.Next = new LinkOld { Number = level };
        }

        LinkNew root = Pass<LinkNew>(new LinkOld { Number = -1, Next = shared, Back = shared });
        Assert.Equal((-1, 7), (root.Number, root.Back!.Number));
        Assert.Null(root.Back.Back);
    }

    [Theory]
    [InlineData(100, 5)]
    [InlineData(1000, 5)]
    [InlineData(1000, 1)]
    public void PeopleKnowWhomTheyKnewWhoeverTheyBlocked(int count, int friends)
    {
        var random = new Random(count + friends);
        PersonOld[] people = [.. Enumerable.Range(0, count).Select(static number => new PersonOld { Number = number })];
        foreach (PersonOld person in people)
        {
            person.Friends.AddRange(Enumerable.Range(0, friends).Select(_ => people[random.Next(count)]));
            person.Blocked.AddRange(Enumerable.Range(0, random.Next(2)).Select(_ => people[random.Next(count)]));
        }

        var read = new Dictionary<int, PersonNew>();
        var open = new Queue<PersonNew>([Pass<PersonNew>(people[0])]);
        while (open.TryDequeue(out PersonNew? person))
        {
            if (!read.TryAdd(person.Number, person))
            {
                Assert.Same(read[person.Number], person);
                continue;
            }

            Assert.Equal(1, person.Calls);
            Assert.Equal(people[person.Number].Friends.Select(static friend => friend.Number), person.Friends!.Select(static friend => friend.Number));
            person.Friends!.ForEach(open.Enqueue);
        }
    }

    /// <summary>What a removed field holds may itself have a removed field, which nobody reads, nor knows what it leads to.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatOnlyRemovedFieldsOfTheWantedReferToIsNotAskedFor(bool isInPart)
    {
        var audit = new AuditOld { Number = 1 };
        var order = new OrderOld { Number = 7, Audit = isInPart ? null : audit, Part = new PartOld { Audit = isInPart ? audit : null, Number = 5 } };
        ShopNew got = Pass<ShopNew>(new ShopOld { History = [audit, order], Last = order });
        Assert.Equal((7, 5), (got.Last!.Number, got.Last.Part.Number));
    }

    /// <summary>A boxed value may hold the next one: of bytes that are no program's, hundreds of thousands of them.</summary>
    [Fact]
    public void ABoxedValueWithinAnotherIsDescribedOrDamage()
    {
        var store = new GraphStore();
        var writer = new WireWriter();
        new Schema(1, "A.Box!Unknown", PlanKind.Value, 0, [new SchemaField("", "Value", WireKind.Any, 0)]).Write(writer);
        store.Table.Load(writer.Written);
        byte[] few = [.. Enumerable.Repeat<byte[]>([0x92, 0x01], 10).SelectMany(static part => part), 0xc0];
        Assert.Equal("A.Box!Unknown", DescriptionReader.Read(store.Table, few).TypeName);
        byte[] many = [.. Enumerable.Repeat<byte[]>([0x92, 0x01], 200_000).SelectMany(static part => part), 0xc0];
        _ = Assert.Throws<PileCorruptedException>(() => DescriptionReader.Read(store.Table, many));
    }

    private static T Pass<T>(object old)
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(old);
        return new GraphStore(before).Read<T>(bytes);
    }

    internal sealed class LinkOld
    {
        public LinkOld? Next { get; set; }

        public LinkOld? Back { get; set; }

        public int Number { get; set; }
    }

    [PileName("Pile.Tests.Codecs.GoneOverTests+LinkOld")]
    internal sealed class LinkNew
    {
        public LinkNew? Back { get; set; }

        public int Number { get; set; }
    }

    internal sealed class ShopOld
    {
        public List<object>? History { get; set; }

        public OrderOld? Last { get; set; }
    }

    [PileName("Pile.Tests.Codecs.GoneOverTests+ShopOld")]
    internal sealed class ShopNew
    {
        public OrderNew? Last { get; set; }
    }

    internal sealed class OrderOld
    {
        public AuditOld? Audit { get; set; }

        public PartOld Part { get; set; }

        public int Number { get; set; }
    }

    [PileName("Pile.Tests.Codecs.GoneOverTests+OrderOld")]
    internal sealed class OrderNew
    {
        public PartNew Part { get; set; }

        public int Number { get; set; }
    }

    internal struct PartOld
    {
        public AuditOld? Audit { get; set; }

        public int Number { get; set; }
    }

    [PileName("Pile.Tests.Codecs.GoneOverTests+PartOld")]
    internal struct PartNew
    {
        public int Number { get; set; }
    }

    /// <summary>There is no such class any more.</summary>
    internal sealed class AuditOld
    {
        public int Number { get; set; }
    }

    internal sealed class PersonOld
    {
        public List<PersonOld> Blocked { get; } = [];

        public List<PersonOld> Friends { get; } = [];

        public int Number { get; set; }
    }

    [PileName("Pile.Tests.Codecs.GoneOverTests+PersonOld")]
    internal sealed class PersonNew
    {
        public List<PersonNew>? Friends { get; set; }

        public int Number { get; set; }

        [field: NonSerialized]
        internal int Calls { get; private set; }

        [OnDeserialized]
        private void Called(StreamingContext context) => Calls++;
    }
}
