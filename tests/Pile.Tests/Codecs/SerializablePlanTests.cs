using System;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Exceptions that have the constructor, with and without values of their own.</summary>
public sealed class SerializablePlanTests
{
    public static TheoryData<string> Modes => ["Reflection", "Emitted"];

    [Theory]
    [MemberData(nameof(Modes))]
    public void FieldsOfAnExceptionThatSaysNothingOfThemComeBack(string mode)
    {
        using var pile = new GraphPile(mode);
        ByTemplate plain = pile.Twice(new ByTemplate("text") { Code = 7 });
        Assert.Equal(("text", 7), (plain.Message, plain.Code));
        Below below = pile.Twice(new Below("text") { Code = 7 });
        Assert.Equal(("text", 7), (below.Message, below.Code));
        Built built = pile.Twice(new Built("text"));
        Assert.Equal(("text", true), (built.Message, built.IsBuilt));
        // Twice through its constructor, which counts.
        Telling telling = pile.Twice(new Telling("text") { Code = 7 });
        Assert.Equal(("text", 9), (telling.Message, telling.Code));
        BelowTelling last = pile.Twice(new BelowTelling("text") { Code = 7, More = "more" });
        Assert.Equal(("text", 9, "more"), (last.Message, last.Code, last.More));
    }

    [Fact]
    public void WhatWasStoredAsFieldsComesBackWhenTheClassGivesItItselfToday()
    {
        var before = new GraphStore();
        byte[] plain = before.Write(new ErrorThen("text") { Code = 7, Inner = "inner" });
        byte[] below = before.Write(new BelowErrorThen("text") { Code = 7, Inner = "inner", More = 8 });
        var after = new GraphStore(before);
        ErrorNow now = after.Read<ErrorNow>(plain);
        Assert.Equal(("text", 7, "inner"), (now.Message, now.Code, now.Inner));
        BelowErrorNow belowNow = after.Read<BelowErrorNow>(below);
        Assert.Equal(("text", 7, "inner", 8), (belowNow.Message, belowNow.Code, belowNow.Inner, belowNow.More));
        belowNow = after.Read<BelowErrorNow>(after.Write(belowNow));
        Assert.Equal(("text", 7, "inner", 8), (belowNow.Message, belowNow.Code, belowNow.Inner, belowNow.More));
    }

    [Fact]
    public void AConstructorThatWantsWhatAnOlderVersionDidNotGiveIsToldAsSuch()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new Telling("text") { Code = 7 });
        PileTypeMismatchException failure = Assert.Throws<PileTypeMismatchException>(() => new GraphStore(before).Read<TellingMore>(bytes));
        Assert.Contains("TellingMore can't be built from its values", failure.Message, StringComparison.Ordinal);
        Assert.IsType<SerializationException>(failure.InnerException);
    }

#pragma warning disable SYSLIB0051, CS0672 // The template of old is what this is about.
    internal class ByTemplate : Exception
    {
        internal ByTemplate(string message)
            : base(message)
        {
        }

        protected ByTemplate(SerializationInfo info, StreamingContext context)
            : base(info, context)
        {
        }

        public int Code { get; set; } = 5;
    }

    internal sealed class Below : ByTemplate
    {
        internal Below(string message)
            : base(message)
        {
        }

        private Below(SerializationInfo info, StreamingContext context)
            : base(info, context)
        {
        }
    }

    /// <summary>Without fields to keep: its constructor goes on building it.</summary>
    internal sealed class Built : Exception
    {
        internal Built(string message)
            : base(message)
        {
        }

        private Built(SerializationInfo info, StreamingContext context)
            : base(info, context) => IsBuilt = true;

        [field: NonSerialized]
        public bool IsBuilt { get; }
    }

    internal class Telling : Exception
    {
        internal Telling(string message)
            : base(message)
        {
        }

        protected Telling(SerializationInfo info, StreamingContext context)
            : base(info, context) => Code = info.GetInt32("code") + 1;

        public int Code { get; set; }

        public override void GetObjectData(SerializationInfo info, StreamingContext context)
        {
            base.GetObjectData(info, context);
            info.AddValue("code", Code);
        }
    }

    internal sealed class BelowTelling : Telling
    {
        internal BelowTelling(string message)
            : base(message)
        {
        }

        private BelowTelling(SerializationInfo info, StreamingContext context)
            : base(info, context)
        {
        }

        public string? More { get; set; }
    }

    internal class ErrorThen(string message) : Exception(message)
    {
        public int Code { get; set; }

        public string? Inner { get; set; }
    }

    internal sealed class BelowErrorThen(string message) : ErrorThen(message)
    {
        public int More { get; set; }
    }

    [PileName("Pile.Tests.Codecs.SerializablePlanTests+ErrorThen")]
    internal class ErrorNow : Exception
    {
        protected ErrorNow(SerializationInfo info, StreamingContext context)
            : base(info, context)
        {
            Code = info.GetInt32("Code");
            Inner = info.GetString("Inner");
        }

        public int Code { get; }

        public string? Inner { get; }

        public override void GetObjectData(SerializationInfo info, StreamingContext context)
        {
            base.GetObjectData(info, context);
            info.AddValue("Code", Code);
            info.AddValue("Inner", Inner);
        }
    }

    [PileName("Pile.Tests.Codecs.SerializablePlanTests+BelowErrorThen")]
    internal sealed class BelowErrorNow : ErrorNow
    {
        private BelowErrorNow(SerializationInfo info, StreamingContext context)
            : base(info, context) => More = info.GetInt32("More");

        public int More { get; }

        public override void GetObjectData(SerializationInfo info, StreamingContext context)
        {
            base.GetObjectData(info, context);
            info.AddValue("More", More);
        }
    }

    [PileName("Pile.Tests.Codecs.SerializablePlanTests+Telling")]
    internal sealed class TellingMore : Exception
    {
        private TellingMore(SerializationInfo info, StreamingContext context)
            : base(info, context) => More = info.GetInt32("code") + info.GetInt32("more");

        public int More { get; }

        public override void GetObjectData(SerializationInfo info, StreamingContext context)
        {
            base.GetObjectData(info, context);
            info.AddValue("more", More);
        }
    }
#pragma warning restore SYSLIB0051, CS0672
}
