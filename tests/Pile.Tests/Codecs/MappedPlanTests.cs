using System;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Old values of types that changed in ways that only some plans know.</summary>
public sealed class MappedPlanTests
{
    [Fact]
    public void AClassThatBecameISerializableIsATypedError()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new FieldsThen { X = 5, Y = "six" });
        Exception failure = Assert.Throws<PileTypeMismatchException>(() => new GraphStore(before).Read<ProtocolNow>(bytes));
        Assert.Contains("Fields", failure.Message, StringComparison.Ordinal);
    }

    internal sealed class FieldsThen
    {
        public int X { get; set; }

        public string? Y { get; set; }
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+FieldsThen")]
    internal sealed class ProtocolNow : ISerializable
    {
        internal ProtocolNow(int number) => X = number;

        private ProtocolNow(SerializationInfo info, StreamingContext context) => X = info.MemberCount;

        public int X { get; }

        public void GetObjectData(SerializationInfo info, StreamingContext context) => info.AddValue("x", X);
    }
}
