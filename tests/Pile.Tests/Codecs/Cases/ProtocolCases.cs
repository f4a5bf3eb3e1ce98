using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 69 to 74: the framework's serialization protocols.</summary>
public sealed partial class ProtocolCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case069_ATypeThatSerializesItself(string plan)
    {
        using var pile = new CasePile(plan);
        Protocol got = pile.Back(new Protocol("text", [1, 2]));
        Assert.Equal(("text", 2), (got.Text, got.Items.Count));
        var loop = new Protocol("loop", []);
        loop.Items.Add(loop);
        Protocol looped = pile.Back(loop);
        Assert.Same(looped, looped.Items[0]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case070_AThrownExceptionWithAnInnerOne(string plan)
    {
        using var pile = new CasePile(plan);
        Exception thrown = Assert.Throws<InvalidOperationException>(static () => Throw());
        thrown.Data["key"] = 5;
        Exception got = pile.Back<Exception>(thrown);
        Assert.Equal(thrown.StackTrace, got.StackTrace);
        Assert.Equal("name", ((ArgumentException)got.InnerException!).ParamName);
        Assert.Equal(5, got.Data["key"]);
        var many = new AggregateException("all", thrown, new KeyNotFoundException());
        Assert.Equal(2, pile.Back(many).InnerExceptions.Count);
        pile.Back(new CaseTypes.Pair { First = thrown, Second = thrown });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case071_AnExceptionWithoutTheConstructor(string plan)
    {
        using var pile = new CasePile(plan);
        CustomException got = pile.Back(new CustomException("why", 42, [1]));
        Assert.Equal(("why", 42, 1), (got.Message, got.Code, got.Details.Count));
        Exception caught = Assert.Throws<CustomException>(static () => ThrowCustom());
        Assert.Equal(caught.StackTrace, pile.Back(caught).StackTrace);
        Assert.IsType<KeyNotFoundException>(pile.Back(new DeepException(5)).InnerException);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case072_TheOrderOfCallbacks(string plan)
    {
        using var pile = new CasePile(plan);
        var value = new CalledBelow { Inner = new CalledBelow() };
        Called.Log = [];
        CalledBelow got = pile.It.Get<CalledBelow>(pile.It.Put(value));
        List<string> log = Called.Log;
        Called.Log = null;
        Assert.Equal(["serializing base", "serializing below"], log.Take(2));
        Assert.Equal(2, log.Count(static call => call == "serialized below"));
        int deserialized = log.IndexOf("deserialized base");
        Assert.True(deserialized > log.LastIndexOf("deserializing below"));
        Assert.Equal("deserialized below", log[deserialized + 1]);
        Assert.Equal(2, log.Count(static call => call == "deserialized base"));
        Assert.True(log.LastIndexOf("serialized below") < log.IndexOf("deserializing base"));

        // The callback of an object sees what its fields hold.
        Assert.True(got.SawInner);
        Assert.False(got.Inner!.SawInner);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case073_ADeserializationCallbackOnce(string plan)
    {
        using var pile = new CasePile(plan);
        var notified = new Notified { Name = "n" };
        object[] got = pile.It.Get<object[]>(pile.It.Put(new object[] { notified, notified, new Dictionary<object, int> { [notified] = 1 } }));
        Assert.Equal(1, ((Notified)got[0]).Calls);
        Assert.Same(got[0], got[1]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case074_WhatIsMarkedNonSerializedIsSkipped(string plan)
    {
        using var pile = new CasePile(plan);
        Skipping got = pile.Back(new Skipping { Kept = 1, Handler = static () => { } });
        Assert.Equal((1, 0, null), (got.Kept, got.Skipped, got.Handler));
    }

    private static void Throw() => throw new InvalidOperationException("outer", new ArgumentException("inner", "name"));

    private static void ThrowCustom() => throw new CustomException("thrown", 1, []);

    [Serializable]
    internal sealed class Protocol : ISerializable
    {
        internal Protocol(string text, List<object> items) => (Text, Items) = (text, items);

        private Protocol(SerializationInfo info, StreamingContext context) =>
            (Text, Items) = (info.GetString("t")!, (List<object>)info.GetValue("i", typeof(List<object>))!);

        public string Text { get; }

        public List<object> Items { get; }

        public void GetObjectData(SerializationInfo info, StreamingContext context)
        {
            info.AddValue("t", Text);
            info.AddValue("i", Items);
        }
    }

    internal sealed class CustomException(string message, int code, List<int> details) : Exception(message)
    {
        public int Code { get; } = code;

        public List<int> Details { get; } = details;
    }

    internal sealed class DeepException(int level) : InvalidOperationException("deep", new KeyNotFoundException())
    {
        public int Level { get; } = level;
    }

    [PileObject]
    internal partial class Called
    {
        [ThreadStatic]
        internal static List<string>? Log;

        [field: NonSerialized]
        internal int Said { get; private set; }

        protected void Say(string what)
        {
            Said++;
            Log?.Add(what);
        }

        [OnSerializing]
        private void Serializing(StreamingContext context) => Say("serializing base");

        [OnSerialized]
        private void Serialized(StreamingContext context) => Say("serialized base");

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => Say("deserializing base");

        [OnDeserialized]
        private void Deserialized(StreamingContext context) => Say("deserialized base");
    }

    [PileObject]
    internal sealed partial class CalledBelow : Called
    {
        [field: NonSerialized]
        public bool SawInner { get; private set; }

        public CalledBelow? Inner { get; set; }

        [OnSerializing]
        private void Serializing(StreamingContext context) => Say("serializing below");

        [OnSerialized]
        private void Serialized(StreamingContext context) => Say("serialized below");

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => Say("deserializing below");

        [OnDeserialized]
        private void Deserialized(StreamingContext context)
        {
            SawInner = Inner is not null;
            Say("deserialized below");
        }
    }

    [PileObject]
    internal sealed partial class Notified : IDeserializationCallback
    {
        public string? Name { get; set; }

        [field: NonSerialized]
        public int Calls { get; private set; }

        public void OnDeserialization(object? sender) => Calls += Name is null ? 100 : 1;
    }

    [PileObject]
    internal sealed partial class Skipping
    {
        [field: NonSerialized]
        public int Skipped { get; set; }

        public int Kept { get; set; }

        [field: NonSerialized]
        public Action? Handler { get; set; }
    }
}
