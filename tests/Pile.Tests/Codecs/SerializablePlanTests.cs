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
#pragma warning restore SYSLIB0051, CS0672
}
