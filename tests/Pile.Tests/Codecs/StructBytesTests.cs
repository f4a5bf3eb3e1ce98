using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.InteropServices;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Structs that have more bytes than their fields say.</summary>
public sealed class StructBytesTests
{
    [Theory]
    [ClassData<CasePlans>]
    public void AVectorOfTheMachinesLengthComesBackWhole(string plan)
    {
        using var pile = new GraphPile(plan);
        Vector<int> vector = Counting<int>();
        Vector<double> other = Counting<double>();
        Assert.Equal(vector, pile.Twice(new List<Vector<int>> { vector })[0]);
        Assert.Equal((vector, "text"), pile.Twice((vector, "text")));
        Assert.Equal(other, pile.Twice(new CaseTypes.Box<Vector<double>> { Value = other }).Value);
        Assert.Equal(new object[] { vector, other }, pile.Twice(new object[] { vector, other }));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AStructWithASizeBeyondItsFieldsComesBackWhole(string plan)
    {
        using var pile = new GraphPile(plan);
        Span<Sized> one = [default];
        Span<byte> bytes = MemoryMarshal.AsBytes(one);
        for (int index = 0; index < bytes.Length; index++)
        {
            bytes[index] = (byte)(index + 1);
        }

        Span<Sized> got = [pile.Twice(new CaseTypes.Box<Sized> { Value = one[0] }).Value];
        Assert.Equal(bytes.ToArray(), MemoryMarshal.AsBytes(got).ToArray());
        got[0] = (Sized)pile.Twice(new object[] { one[0], "text" })[0];
        Assert.Equal(bytes.ToArray(), MemoryMarshal.AsBytes(got).ToArray());
        got[0] = pile.Twice(new List<Holder> { new() { Sized = one[0], Number = 5 } })[0].Sized;
        Assert.Equal(bytes.ToArray(), MemoryMarshal.AsBytes(got).ToArray());
    }

    /// <summary>Such sizes say what is so without them: gaps of the alignment, or nothing at all where a struct holds references.</summary>
    [Theory]
    [InlineData(typeof(Sized), true)]
    [InlineData(typeof(Padded), true)]
    [InlineData(typeof(SizedByOne), true)]
    [InlineData(typeof(Vector<byte>), true)]
    [InlineData(typeof(Gapped), false)]
    [InlineData(typeof(Packed), false)]
    [InlineData(typeof(Large), false)]
    [InlineData(typeof(Holder), false)]
    [InlineData(typeof(Optional), false)]
    [InlineData(typeof(None), false)]
    [InlineData(typeof(Vector3), false)]
    [InlineData(typeof(Complex), false)]
    [InlineData(typeof(System.Runtime.Intrinsics.Vector512<int>), false)]
    public void OnlyWhatNoFieldHasGoesBeyondThem(Type type, bool goes) => Assert.Equal(goes, Pile.Codecs.StructBytes.GoBeyondFields(type));

    [Fact]
    public void WhatWasKeptByItsFieldsIsReadStill()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new List<SizedThen> { new() { A = 5 } });
        byte[] boxed = before.Write(new object[] { new SizedThen { A = 6 } });
        var after = new GraphStore(before);
        Assert.Equal(5, after.Read<List<SizedNow>>(bytes)[0].A);
        Assert.Equal(6, ((SizedNow)after.Read<object[]>(boxed)[0]).A);
        Assert.Equal(7, after.Read<List<SizedNow>>(after.Write(new List<SizedNow> { new() { A = 7 } }))[0].A);
    }

    [Fact]
    public void AVectorOfAnotherLengthIsATypedError()
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(new List<Vector<byte>> { Counting<byte>() });
        int at = bytes.AsSpan().IndexOf([(byte)0xc4, (byte)Vector<byte>.Count]);
        byte[] shorter = [.. bytes[..at], 0xc4, 8, .. new byte[8]];
        PileTypeMismatchException failure = Assert.Throws<PileTypeMismatchException>(() => store.Read<List<Vector<byte>>>(shorter));
        Assert.Contains("8 bytes", failure.Message, StringComparison.Ordinal);
        Assert.Contains("machine", failure.Message, StringComparison.Ordinal);
    }

    private static Vector<T> Counting<T>()
        where T : INumber<T>
    {
        var items = new T[Vector<T>.Count];
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = T.CreateChecked(index + 1);
        }

        return new Vector<T>(items);
    }

    [StructLayout(LayoutKind.Sequential, Size = 16)]
    internal struct Sized
    {
        public byte A;
    }

    [StructLayout(LayoutKind.Sequential, Size = 128)]
    internal struct Padded
    {
        public long A;
    }

    [StructLayout(LayoutKind.Sequential, Size = 9)]
    internal struct SizedByOne
    {
        public long A;
    }

    [StructLayout(LayoutKind.Sequential, Size = 24)]
    internal struct Gapped
    {
        public byte A;
        public long B;
        public byte C;
    }

    [StructLayout(LayoutKind.Sequential, Pack = 1, Size = 10)]
    internal struct Packed
    {
        public byte A;
        public long B;
        public byte C;
    }

    [StructLayout(LayoutKind.Sequential, Size = 32)]
    internal struct Large
    {
        public Int128 A;
        public bool B;
    }

    [StructLayout(LayoutKind.Sequential, Size = 12)]
    internal struct Optional
    {
        public int? A;
        public short B;
    }

    internal struct Holder
    {
        public Sized Sized;
        public int Number;
    }

    internal struct None;

    internal struct SizedThen
    {
        public int A;
    }

    [PileName("Pile.Tests.Codecs.StructBytesTests+SizedThen")]
    [StructLayout(LayoutKind.Sequential, Size = 16)]
    internal struct SizedNow
    {
        public int A;
    }
}
