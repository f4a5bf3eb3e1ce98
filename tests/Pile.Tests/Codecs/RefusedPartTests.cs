using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Serialization;
using System.Security.Claims;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What would not come back as it was is refused, with the path; a name that can't be a type is none.</summary>
public sealed class RefusedPartTests
{
    public static TheoryData<string> Modes => ["Reflection", "Emitted"];

    [Theory]
    [MemberData(nameof(Modes))]
    public void ATypeWhoseOwnCallbackSaysThatItCannotBeKeptIsRefusedWithThePath(string mode)
    {
        using var pile = new GraphPile(mode);
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new Holder { Held = new ClaimsPrincipal(new ClaimsIdentity([new Claim("a", "b")], "x")) }));
        Assert.Equal("Holder.Held", refused.GraphPath);
        Assert.Contains("ClaimsPrincipal", refused.Message, StringComparison.Ordinal);
        refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new Holder { Held = new Unwilling() }));
        Assert.Equal("Holder.Held", refused.GraphPath);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void FieldsThatOverlapComeBackOrAreRefused(string mode)
    {
        using var pile = new GraphPile(mode);
        Numbers numbers = pile.Twice(new Numbers { Double = -0.1, Text = "text" });
        Assert.Equal((BitConverter.DoubleToInt64Bits(-0.1), "text"), (numbers.Long, numbers.Text));
        Assert.Equal(BitConverter.DoubleToInt64Bits(-0.1), pile.Twice(new Variant { Double = -0.1, Held = "text" }).Long);
        Assert.Equal(7, pile.Twice(new Apart { First = "x", Second = 7 }).Second);
        foreach (object value in new object[] { new Flags { Byte = 2 }, new References { First = "x" }, new Times { Long = -1 }, new Derived(), new HeldFlags { Byte = 2 } })
        {
            PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new Holder { Held = value }));
            Assert.Equal("Holder.Held", refused.GraphPath);
            Assert.Contains("overlap", refused.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void ANameOfAStructThatIsTooLargeIsNoType()
    {
        static Type? Find(string name) => name switch
        {
            "Big" => typeof(Big<>),
            "Int" => typeof(int),
            "List" => typeof(List<>),
            _ => null,
        };
        Assert.Equal(typeof(Big<int>), TypeNameParser.Resolve("Big<Int>", Find));
        Assert.Null(TypeNameParser.Resolve("Big<Big<Big<Int>>>", Find));
        Assert.Null(TypeNameParser.Resolve("List<Big<Big<Big<Int>>>>", Find));
    }

    [InlineArray(1000)]
    internal struct Big<T>
    {
        private T _first;
    }

    internal sealed class Holder
    {
        public object? Held { get; init; }
    }

    internal sealed class Unwilling
    {
        [OnSerializing]
        private void OnSerializing(StreamingContext context) => throw new PlatformNotSupportedException(ToString());
    }

    [StructLayout(LayoutKind.Explicit)]
    internal sealed class Numbers
    {
        [FieldOffset(0)]
        public string? Text;

        [FieldOffset(8)]
        public double Double;

        [FieldOffset(8)]
        public long Long;

        [FieldOffset(12)]
        public ushort Part;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal struct Variant
    {
        [FieldOffset(0)]
        public object? Held;

        [FieldOffset(8)]
        public double Double;

        [FieldOffset(8)]
        public long Long;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal sealed class Apart
    {
        [FieldOffset(0)]
        public string? First;

        [FieldOffset(8)]
        public int Second;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal class Flags
    {
        [FieldOffset(0)]
        public byte Byte;

        [FieldOffset(0)]
        public bool Bool;
    }

    internal sealed class Derived : Flags
    {
        public int More { get; init; }
    }

    [StructLayout(LayoutKind.Explicit)]
    internal sealed class References
    {
        [FieldOffset(0)]
        public object? First;

        [FieldOffset(0)]
        public string? Second;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal sealed class Times
    {
        [FieldOffset(0)]
        public long Long;

        [FieldOffset(0)]
        public DateTime Time;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal struct HeldFlags
    {
        [FieldOffset(0)]
        public byte Byte;

        [FieldOffset(0)]
        public bool Bool;

        [FieldOffset(8)]
        public object? Held;
    }
}
