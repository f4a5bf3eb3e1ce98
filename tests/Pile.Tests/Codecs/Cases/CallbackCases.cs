using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Serialization callbacks of structs and of classes derived from collections; those of other classes are case 72.</summary>
public sealed partial class CallbackCases
{
    private static readonly string[] _all = ["serializing", "serialized", "deserializing", "deserialized", "notified"];

    [ThreadStatic]
    private static List<string>? _log;

    [Theory]
    [ClassData<CasePlans>]
    public void AStructIsCalledWhereverItStands(string plan)
    {
        using var pile = new CasePile(plan);
        var five = new Measured("five5");
        _log = [];
        Assert.Equal(5, pile.It.Get<Measured>(pile.It.Put(five)).Length);
        Assert.Equal(All<Measured>(), _log);

        Measured[] array = pile.It.Get<Measured[]>(pile.It.Put(new[] { five, new Measured("seven77") }));
        Assert.Equal([5, 7], array.Select(static each => each.Length));
        CaseTypes.Box<Measured?> optional = pile.It.Get<CaseTypes.Box<Measured?>>(pile.It.Put(new CaseTypes.Box<Measured?> { Value = five }));
        Assert.Equal(5, optional.Value!.Value.Length);
        Dictionary<int, Measured> map = pile.It.Get<Dictionary<int, Measured>>(pile.It.Put(new Dictionary<int, Measured> { [1] = five }));
        Assert.Equal(5, map[1].Length);

        object box = five;
        _log = [];
        object[] boxes = pile.It.Get<object[]>(pile.It.Put(new[] { box, box }));
        Assert.Same(boxes[0], boxes[1]);
        Assert.Equal(5, ((Measured)boxes[0]).Length);
        Assert.Equal(All<Measured>(), _log);
        _log = null;
    }

    [Theory]
    [ClassData<CasePlans>]
    public void WhatAStructChangesBeforeItIsWrittenIsWrittenAndStaysUnknownToIt(string plan)
    {
        using var pile = new CasePile(plan);
        var box = new CaseTypes.Box<Counted> { Value = new Counted { Name = "n", Writes = 3 } };

        CaseTypes.Box<Counted> got = pile.It.Get<CaseTypes.Box<Counted>>(pile.It.Put(box));

        Assert.Equal((4, 3), (got.Value.Writes, box.Value.Writes));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AnOldVersionOfAStructIsCalledToo(string plan)
    {
        PlanMode mode = Enum.Parse<PlanMode>(plan);
        var before = new GraphStore(null, mode);
        byte[] bytes = before.Write(new CaseTypes.Box<MeasuredThen> { Value = new MeasuredThen { Gone = 1, Text = "five5" } });

        CaseTypes.Box<Measured> got = new GraphStore(before, mode).Read<CaseTypes.Box<Measured>>(bytes);

        Assert.Equal(("five5", 5), (got.Value.Text, got.Value.Length));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AClassDerivedFromACollectionIsCalled(string plan)
    {
        using var pile = new CasePile(plan);
        Check(new CalledList { 1, 2, 3 }, static got => (got.Seen, got.Count));
        Check(new CalledSet { "a", "b", "c" }, static got => (got.Seen, got.Count));
        Check(new CalledMap { [new CaseTypes.StrictKey("a")] = 1, [new CaseTypes.StrictKey("b")] = 2, [new CaseTypes.StrictKey("c")] = 3 }, static got => (got.Seen, got.Count));
        Check(new CalledTree { 1, 2, 3 }, static got => (got.Seen, got.Count));
        Check(new CalledQueue([1, 2, 3]), static got => (got.Seen, got.Count));

        void Check<T>(T value, Func<T, (int Seen, int Count)> look)
            where T : notnull
        {
            _log = [];
            T got = pile.It.Get<T>(pile.It.Put(value));
            Assert.Equal(All<T>(), _log);
            Assert.Equal((3, 3), look(got));
            _log = null;
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void ItemsThatTheCallbackOfACollectionDropsAreNotWritten(string plan)
    {
        using var pile = new CasePile(plan);
        var list = new Dropping { 1, 2, 3 };

        Assert.Equal([1], pile.It.Get<Dropping>(pile.It.Put(list)));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AClassDerivedFromACollectionIsToldAfterTheWholeGraphIsThere(string plan)
    {
        using var pile = new CasePile(plan);
        var list = new Knowing { Owner = new CaseTypes.Pair { Second = "after" } };
        list.Owner.First = list;

        Knowing got = (Knowing)pile.It.Get<CaseTypes.Pair>(pile.It.Put(list.Owner)).First!;

        Assert.Equal("after", got.Known);
    }

    private static string[] All<T>() => [.. _all.Select(static what => $"{typeof(T).Name} {what}")];

    private static void Say(object who, string what) => _log?.Add($"{who.GetType().Name} {what}");

    [PileName("Pile.Tests.Codecs.Cases.CallbackCases+MeasuredThen")]
    [PileObject]
    internal partial struct Measured(string text) : IDeserializationCallback
    {
        public string Text = text;

        [NonSerialized]
        public int Length;

        [OnSerializing]
        private readonly void Serializing(StreamingContext context) => Say(this, "serializing");

        [OnSerialized]
        private readonly void Serialized(StreamingContext context) => Say(this, "serialized");

        [OnDeserializing]
        private readonly void Deserializing(StreamingContext context) => Say(this, Text is null ? "deserializing" : "deserializing too late");

        [OnDeserialized]
        private void Deserialized(StreamingContext context)
        {
            Length = Text.Length;
            Say(this, "deserialized");
        }

        public readonly void OnDeserialization(object? sender) => Say(this, Length == Text.Length ? "notified" : "notified too early");
    }

    [PileObject]
    internal partial struct MeasuredThen
    {
        public int Gone;

        public string Text;
    }

    [PileObject]
    internal partial struct Counted
    {
        public string Name;

        public int Writes;

        [OnSerializing]
        private void Serializing(StreamingContext context) => Writes++;
    }

    private sealed class CalledList : List<int>, IDeserializationCallback
    {
        [field: NonSerialized]
        public int Seen { get; private set; }

        public void OnDeserialization(object? sender) => Say(this, "notified");

        [OnSerializing]
        private void Serializing(StreamingContext context) => Say(this, "serializing");

        [OnSerialized]
        private void Serialized(StreamingContext context) => Say(this, "serialized");

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => Say(this, "deserializing");

        [OnDeserialized]
        private void Deserialized(StreamingContext context)
        {
            Seen = Count;
            Say(this, "deserialized");
        }
    }

    private sealed class CalledSet : HashSet<string>
    {
        [field: NonSerialized]
        public int Seen { get; private set; }

        public override void OnDeserialization(object? sender)
        {
            base.OnDeserialization(sender);
            Say(this, "notified");
        }

        [OnSerializing]
        private void Serializing(StreamingContext context) => Say(this, "serializing");

        [OnSerialized]
        private void Serialized(StreamingContext context) => Say(this, "serialized");

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => Say(this, "deserializing");

        [OnDeserialized]
        private void Deserialized(StreamingContext context)
        {
            Seen = Count;
            Say(this, "deserialized");
        }
    }

    private sealed class CalledMap : Dictionary<CaseTypes.StrictKey, int>
    {
        [field: NonSerialized]
        public int Seen { get; private set; }

        public override void OnDeserialization(object? sender)
        {
            base.OnDeserialization(sender);
            Say(this, "notified");
        }

        [OnSerializing]
        private void Serializing(StreamingContext context) => Say(this, "serializing");

        [OnSerialized]
        private void Serialized(StreamingContext context) => Say(this, "serialized");

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => Say(this, "deserializing");

        [OnDeserialized]
        private void Deserialized(StreamingContext context)
        {
            Seen = this.Count(pair => ContainsKey(pair.Key));
            Say(this, "deserialized");
        }
    }

    private sealed class CalledTree : SortedSet<int>
    {
        [field: NonSerialized]
        public int Seen { get; private set; }

        protected override void OnDeserialization(object? sender)
        {
            base.OnDeserialization(sender);
            Say(this, "notified");
        }

        [OnSerializing]
        private void Serializing(StreamingContext context) => Say(this, "serializing");

        [OnSerialized]
        private void Serialized(StreamingContext context) => Say(this, "serialized");

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => Say(this, "deserializing");

        [OnDeserialized]
        private void Deserialized(StreamingContext context)
        {
            Seen = Count;
            Say(this, "deserialized");
        }
    }

    private sealed class CalledQueue(IEnumerable<int> items) : System.Collections.Concurrent.ConcurrentQueue<int>(items), IDeserializationCallback
    {
        [field: NonSerialized]
        public int Seen { get; private set; }

        public void OnDeserialization(object? sender) => Say(this, "notified");

        [OnSerializing]
        private void Serializing(StreamingContext context) => Say(this, "serializing");

        [OnSerialized]
        private void Serialized(StreamingContext context) => Say(this, "serialized");

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => Say(this, "deserializing");

        [OnDeserialized]
        private void Deserialized(StreamingContext context)
        {
            Seen = Count;
            Say(this, "deserialized");
        }
    }

    private sealed class Dropping : List<int>
    {
        [OnSerializing]
        private void Serializing(StreamingContext context) => RemoveRange(1, Count - 1);
    }

    private sealed class Knowing : List<int>
    {
        public CaseTypes.Pair? Owner { get; set; }

        [field: NonSerialized]
        public string? Known { get; private set; }

        [OnDeserialized]
        private void Deserialized(StreamingContext context) => Known = (string?)Owner!.Second;
    }
}
