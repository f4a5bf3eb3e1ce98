using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Frozen collections whose keys stand in fields that were removed, or are read between what does.</summary>
public sealed class FrozenVersionTests
{
    [Theory]
    [InlineData("Reflection", 20)]
    [InlineData("Emitted", 20)]
    [InlineData("Reflection", 300)]
    [InlineData("Emitted", 300)]
    public void TopicsOfPeopleAreAllThereWhoeverTheyBlocked(string mode, int count)
    {
        var random = new Random(count);
        TopicOld[] topics = [.. Enumerable.Range(0, 50).Select(static number => new TopicOld($"topic {number}"))];
        PersonOld[] people = [.. Enumerable.Range(0, count).Select(number => new PersonOld { Number = number, Favourite = topics[number % 50] })];
        foreach (PersonOld person in people)
        {
            person.Friends.AddRange(Enumerable.Range(0, 3).Select(_ => people[random.Next(count)]));
            person.Blocked.AddRange(Enumerable.Range(0, random.Next(3)).Select(_ => people[random.Next(count)]));
            person.Topics = Enumerable.Range(0, 5).Select(_ => topics[random.Next(50)]).ToFrozenSet();
            person.Marks = person.Topics.ToFrozenDictionary(static topic => topic, topic => (object)people[topic.Name.Length]);
        }

        var read = new Dictionary<int, PersonNew>();
        var open = new Queue<PersonNew>([Pass<PersonNew>(people[0], mode)]);
        while (open.TryDequeue(out PersonNew? person))
        {
            if (!read.TryAdd(person.Number, person))
            {
                Assert.Same(read[person.Number], person);
                continue;
            }

            PersonOld old = people[person.Number];
            Assert.Equal(old.Topics.Select(static topic => topic.Name).Order(), person.Topics!.Select(static topic => topic.Name).Order());
            Assert.All(person.Topics!, topic => Assert.Contains(topic, (ISet<TopicNew>)person.Topics!));
            Assert.All(old.Marks, mark => Assert.Equal(((PersonOld)mark.Value).Number, ((PersonNew)person.Marks![new TopicNew { Name = mark.Key.Name }]).Number));
            person.Friends!.ForEach(open.Enqueue);
            open.Enqueue((PersonNew)person.Marks!.Values[0]);
        }

        Assert.InRange(read.Count, count * 8 / 10, count);
    }

    /// <summary>Each stands in a field of the one around it that is gone, and is wanted from inside itself.</summary>
    [Theory]
    [InlineData("Reflection")]
    [InlineData("Emitted")]
    public void ASetThatIsWantedInsideItselfIsReadOnce(string mode)
    {
        var team = new TeamOld();
        team.Members = new[] { new MemberOld(1, team), new MemberOld(2, team) }.ToFrozenSet();
        team.Ages = team.Members.ToFrozenDictionary(static member => member, member => (object)member);
        var dept = new DeptOld { Main = team, Staff = team.Members, Ages = team.Ages };
        foreach (DeptNew? got in (DeptNew?[])[Pass<FirmNew>(new FirmOld { Former = dept, Present = dept }, mode).Present, Pass<DeptNew>(dept, mode)])
        {
            Assert.Equal(2, got!.Staff!.Count);
            MemberNew one = got.Staff.Single(static member => member.Number == 1);
            Assert.Same(got.Staff, one.Team!.Members);
            Assert.Contains(one, (ISet<MemberNew>)got.Staff);
            Assert.Same(got.Ages, one.Team.Ages);
            Assert.Same(one, got.Ages![one]);
        }
    }

    /// <summary>Each collection went over all that is around it: 2,000 took 2.3 GB.</summary>
    [Fact]
    public void ThousandsOfFrozenSetsThatLeadOutwardAreReadInMemoryByTheirNumber()
    {
        var one = new DocOld();
        var all = new DocOld();
        for (int number = 0; number < 2000; number++)
        {
            (number < 20 ? one : all).Add(number);
        }

        var store = new GraphStore();
        byte[] few = store.Write(one);
        byte[] many = store.Write(all);
        var after = new GraphStore(store);
        _ = after.Read<DocNew>(few);
        long before = GC.GetAllocatedBytesForCurrentThread();
        DocNew got = after.Read<DocNew>(many);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * many.Length * 4L);
        Assert.Equal(1980, got.Items!.Count(item => item.Keys!.Contains(new KeyNew(item.Number, null)) && item.Plain!.Contains(new KeyNew(item.Number + 1, null)) && item.Keys.Items[0].Doc == got));
    }

    /// <summary>A type that nobody knows any more stays so, in the second reading too.</summary>
    [Fact]
    public void WhatNothingRefersToIsNotReadTheSecondTime()
    {
        var before = new GraphStore();
        var topic = new TopicOld("t");
        byte[] bytes = before.Write(new HolderOld { Gone = [new Forgotten { Held = topic }, new Forgotten()], Kept = new PersonOld { Topics = new[] { topic }.ToFrozenSet() } });
        var after = new GraphStore(before);
        foreach (Type type in (Type[])[typeof(HolderNew), typeof(PersonNew), typeof(TopicNew)])
        {
            after.Table.Known.Add(type);
        }

        Forgotten.Made = 0;
        Assert.Equal("t", after.Read<HolderNew>(bytes).Kept!.Topics!.Items[0].Name);
        Assert.Equal(0, Forgotten.Made);
    }

    private static T Pass<T>(object old, string mode)
    {
        var before = new GraphStore(null, Enum.Parse<PlanMode>(mode));
        byte[] bytes = before.Write(old);
        return new GraphStore(before, Enum.Parse<PlanMode>(mode)).Read<T>(bytes);
    }

    internal sealed class TopicOld(string name)
    {
        public string Name { get; } = name;

        public override int GetHashCode() => Name.Length;

        public override bool Equals(object? obj) => obj is TopicOld other && other.Name == Name;
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+TopicOld")]
    internal sealed class TopicNew
    {
        public string? Name { get; init; }

        public override int GetHashCode() => Name?.Length ?? 0;

        public override bool Equals(object? obj) => obj is TopicNew other && other.Name == Name;
    }

    internal sealed class PersonOld
    {
        public int Number { get; init; }

        public List<PersonOld> Blocked { get; } = [];

        public List<PersonOld> Friends { get; } = [];

        public TopicOld? Favourite { get; init; }

        public FrozenSet<TopicOld> Topics { get; set; } = FrozenSet<TopicOld>.Empty;

        public FrozenDictionary<TopicOld, object> Marks { get; set; } = FrozenDictionary<TopicOld, object>.Empty;
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+PersonOld")]
    internal sealed class PersonNew
    {
        public int Number { get; init; }

        public List<PersonNew>? Friends { get; init; }

        public TopicNew? Favourite { get; init; }

        public FrozenSet<TopicNew>? Topics { get; init; }

        public FrozenDictionary<TopicNew, object>? Marks { get; init; }
    }

    internal sealed class FirmOld
    {
        public DeptOld? Former { get; init; }

        public DeptOld? Present { get; init; }
    }

    internal sealed class DeptOld
    {
        public TeamOld? Main { get; init; }

        public FrozenSet<MemberOld>? Staff { get; init; }

        public FrozenDictionary<MemberOld, object>? Ages { get; init; }
    }

    internal sealed class TeamOld
    {
        public FrozenSet<MemberOld>? Members { get; set; }

        public FrozenDictionary<MemberOld, object>? Ages { get; set; }
    }

    internal sealed class MemberOld(int number, TeamOld team)
    {
        public int Number { get; } = number;

        public TeamOld Team { get; } = team;

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is MemberOld other && other.Number == Number;
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+FirmOld")]
    internal sealed class FirmNew
    {
        public DeptNew? Present { get; init; }
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+DeptOld")]
    internal sealed class DeptNew
    {
        public FrozenSet<MemberNew>? Staff { get; init; }

        public FrozenDictionary<MemberNew, object>? Ages { get; init; }
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+TeamOld")]
    internal sealed class TeamNew
    {
        public FrozenSet<MemberNew>? Members { get; init; }

        public FrozenDictionary<MemberNew, object>? Ages { get; init; }
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+MemberOld")]
    internal sealed class MemberNew
    {
        public int Number { get; init; }

        public TeamNew? Team { get; init; }

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is MemberNew other && other.Number == Number;
    }

    internal sealed class DocOld
    {
        public List<ItemOld> Items { get; } = [];

        internal void Add(int number) => Items.Add(new ItemOld
        {
            Gone = Array.Empty<object>(),
            Doc = this,
            Number = number,
            Keys = new[] { new KeyOld(number, this) }.ToFrozenSet(),
            Plain = [new KeyOld(number + 1, this)],
        });
    }

    internal sealed class ItemOld
    {
        public object? Gone { get; init; }

        public DocOld? Doc { get; init; }

        public int Number { get; init; }

        public FrozenSet<KeyOld>? Keys { get; init; }

        public HashSet<KeyOld>? Plain { get; init; }
    }

    internal sealed class KeyOld(int number, DocOld doc)
    {
        public int Number { get; } = number;

        public DocOld Doc { get; } = doc;

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is KeyOld other && other.Number == Number;
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+DocOld")]
    internal sealed class DocNew
    {
        public List<ItemNew>? Items { get; init; }
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+ItemOld")]
    internal sealed class ItemNew
    {
        public DocNew? Doc { get; init; }

        public int Number { get; init; }

        public FrozenSet<KeyNew>? Keys { get; init; }

        public HashSet<KeyNew>? Plain { get; init; }
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+KeyOld")]
    internal sealed class KeyNew(int number, DocNew? doc)
    {
        public int Number { get; } = number;

        public DocNew? Doc { get; } = doc;

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is KeyNew other && other.Number == Number;
    }

    internal sealed class HolderOld
    {
        public Forgotten[]? Gone { get; init; }

        public PersonOld? Kept { get; init; }
    }

    [PileName("Pile.Tests.Codecs.FrozenVersionTests+HolderOld")]
    internal sealed class HolderNew
    {
        public PersonNew? Kept { get; init; }
    }

    internal sealed class Forgotten
    {
        internal static int Made { get; set; }

        public TopicOld? Held { get; init; }

        [field: NonSerialized]
        internal int Number { get; private set; }

        [OnDeserializing]
        private void Begin(StreamingContext context) => Number = ++Made;
    }
}
