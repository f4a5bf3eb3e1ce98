using System;
using System.Buffers;
using System.Text;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Nullable structs put by themselves, and the framework's types with pointers.</summary>
public sealed class NullableRootTests
{
#pragma warning disable CS8714 // Programs with that warning, or without nullable references, may do so.
    [Theory]
    [ClassData<CasePlans>]
    public void ANullableStructIsPutAndGotAsItsValue(string plan)
    {
        using var pile = new GraphPile(plan);
        (string, int)? pair = ("text", 5);
        PilePointer pointer = pile.Pile.Put<(string, int)?>(pair);
        Assert.Equal(pair, pile.Pile.Get<(string, int)?>(pointer));
        Assert.Equal(pair.Value, pile.Pile.Get<(string, int)>(pointer));
        Assert.Equal(pair, pile.Pile.Get<(string, int)?>(pile.Pile.Put(pair.Value)));
        Assert.Equal((object)pair.Value, pile.Pile.Get<object>(pointer));
        Assert.Throws<ArgumentNullException>(() => pile.Pile.Put<(string, int)?>(null));
        Named? named = new Named { Name = "n", Number = 3 };
        Assert.Equal(named, pile.Pile.Get<Named?>(pile.Pile.Put<Named?>(named)));
        pile.Pile.Update<Named?>(pointer, named);
        Assert.Equal(named, pile.Pile.Get<Named?>(pointer));
    }
#pragma warning restore CS8714

    [Theory]
    [ClassData<CasePlans>]
    public void TypesOfTheFrameworkThatHoldPointersAreRefusedWithThePath(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Equal("Box.Value", pile.Refused(new CaseTypes.Box<MemoryHandle>()).GraphPath);
        Assert.Equal("System.Object[][1]", pile.Refused(new object[] { 1, default(MemoryHandle) }).GraphPath);
        Assert.Equal("System.Object[][0]", pile.Refused(new object[] { new DecoderExceptionFallbackBuffer() }).GraphPath);
        Assert.Equal("Box.Value", pile.Refused(new CaseTypes.Box<DecoderFallbackBuffer> { Value = new DecoderExceptionFallbackBuffer() }).GraphPath);
        Assert.Contains("handle", pile.Refused(new object[] { new DecoderExceptionFallbackBuffer() }).Message, StringComparison.Ordinal);
        pile.Back(new CaseTypes.Box<DecoderExceptionFallbackBuffer>());
        pile.Back(new CaseTypes.Box<MemoryHandle?>());
    }

    internal record struct Named
    {
        public string? Name { get; set; }

        public int Number { get; set; }
    }
}
