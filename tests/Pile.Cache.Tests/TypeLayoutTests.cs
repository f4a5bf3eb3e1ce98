using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Threading;
using Pile.Cache.Files;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>How fields of structs lie: what counts, what they were called before, and what is no part of a struct.</summary>
public sealed class TypeLayoutTests
{
    /// <summary>What a handle refers to is no part of it, and what a vector counts by may be the struct that it is in.</summary>
    [Fact]
    public void AStructWithHandlesOfClassesThatReferToThemselvesHasATable()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        Assert.True(cache.Cache.GetOrCreateTable<int, Held>("table", DurableTests.Durable).Set(1, new Held { Bytes = 7 }).IsStored);
        Assert.True(cache.Cache.GetOrCreateTable<int, Held>("table").TryGet(1, out Held found));
        Assert.Equal(7, found.Bytes);
        Assert.Equal(Of<GCHandle<Node>>(), Of<GCHandle<Node>>());
        Assert.NotEqual(Of<GCHandle<Node>>(), Of<GCHandle<Held[]>>());
        Assert.NotEqual(Of<HeldWeakly>(), Of<HeldPinned>());
    }

    /// <summary>On a stack on which one call for each field has no place.</summary>
    [Fact]
    public void AStructMayHaveThousandsOfFields()
    {
        Type wide = Define(6000);
        Type other = Define(5999);
        uint[] layouts = new uint[2];
        var thread = new Thread(() => layouts = [new TypeLayout(wide).Today, new TypeLayout(other).Today], 256 << 10);
        thread.Start();
        thread.Join();
        Assert.NotEqual(0u, layouts[0]);
        Assert.NotEqual(layouts[0], layouts[1]);
    }

    /// <summary>They stand in files: worked out by a version before this one, and the same for ever.</summary>
    [Fact]
    public void StructsInTypesOfTheFrameworkAreAPartOfTheirLayout()
    {
        Assert.Equal(0x4D50F6C8u, Of<RenamedValueTests.Tick>());
        Assert.Equal(0xF5F9A9A5u, Of<(RenamedValueTests.Tick, int)>());
        Assert.Equal(0x2DB68A9Cu, Of<RenamedValueTests.Tick?>());
        Assert.Equal(0x65DB4E55u, Of<KeyValuePair<RenamedValueTests.Tick, Small>>());
        Assert.Equal(0x963E5245u, Of<Small?>());
        Assert.NotEqual(Of<Vector128<int>>(), Of<Vector128<float>>());
    }

    [Fact]
    public void WhereExplicitFieldsLieCounts() => Assert.NotEqual(Of<Explicit>(), Of<ExplicitTurned>());

    [Fact]
    public void WhatAnEnumIsStoredAsCounts() => Assert.NotEqual(Of<WithColor>(), Of<WithUnsignedColor>());

    /// <summary>The runtime may know a field before the others because somebody asked for it.</summary>
    [Fact]
    public void FieldsCountInTheOrderInWhichTheyStand()
    {
        Assert.NotNull(typeof(AskedFor).GetField("<Last>k__BackingField", BindingFlags.Instance | BindingFlags.NonPublic));
        Assert.Equal(Of<NotAskedFor>(), Of<AskedFor>());
    }

    [Fact]
    public void ManyFieldsAreFoundByWhatAllOfThemWereCalled()
    {
        AssertWas<TwelveOld, TwelveNow>();
        AssertWas<FivePoints<PointOld>, FivePoints<PointNow>>();
        AssertWas<Captured, CapturedNow>();
    }

    /// <summary>Others were renamed before, or have been since; in each place of a struct all fields have the same names.</summary>
    [Fact]
    public void ManyFieldsAreFoundByWhatSomeOfThemWereCalled()
    {
        AssertWas<TwelveInPart, TwelveNow>();
        AssertWas<TwelveButOne, TwelveNow>();
        AssertWas<BesidePoints<TwelveNow, PointOld>, BesidePoints<TwelveNow, PointNow>>();
        AssertWas<BesidePoints<TwelveOld, PointNow>, BesidePoints<TwelveNow, PointNow>>();
        AssertWas<BesidePoints<TwelveInPart, PointNow>, BesidePoints<TwelveNow, PointNow>>();
        AssertWas<BesidePoints<TwelveOld, Captured>, BesidePoints<TwelveNow, CapturedNow>>();
    }

    [Fact]
    public void EachChoiceOfElevenFormerNamesIsFound()
    {
        AssertWas<ElevenMixed, ElevenNow>();
        Assert.True(new TypeLayout(typeof(ElevenNow)).IsTriedInPart);
        Assert.False(new TypeLayout(typeof(CapturedNow)).IsTriedInPart);
    }

    /// <summary>What has the names of then is found in any case.</summary>
    [Fact]
    public void ARefusalSaysWhereNotAllNamesWereTried()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<int, TwelveMixed>("table", DurableTests.Durable).Set(1, default).IsStored);
        }

        using var after = new MappedCache(files);
        PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() => after.Cache.GetOrCreateTable<int, TwelveNow>("table"));
        Assert.EndsWith($"or keep such values in a class. The 12 renamed fields in {typeof(TwelveNow)} may have been called together in more ways than the 4,096 that were tried: give some of them the names of then.", refused.Message, StringComparison.Ordinal);
        Assert.True(after.Cache.GetOrCreateTable<int, TwelveMixed>("table").TryGet(1, out _));
    }

    private static uint Of<T>() => new TypeLayout(typeof(T)).Today;

    private static void AssertWas<TOld, TNow>()
    {
        Assert.NotEqual(Of<TOld>(), Of<TNow>());
        Assert.True(new TypeLayout(typeof(TNow)).HasBeen(Of<TOld>()));
    }

    private static Type Define(int fields)
    {
        TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Shop").DefineType("Shop.Wide", TypeAttributes.Public | TypeAttributes.SequentialLayout, typeof(ValueType));
        foreach (int number in Enumerable.Range(0, fields))
        {
            _ = type.DefineField($"F{number}", typeof(int), FieldAttributes.Public);
        }

        return type.CreateType();
    }

    internal sealed class Node
    {
        public Node? Next { get; set; }

        public List<Node> Others { get; } = [];
    }

    internal record struct Held
    {
        public GCHandle<Node> Handle { get; set; }

        public long Bytes { get; set; }

        public Vector128<Held> Vector { get; set; }
    }

    internal record struct HeldWeakly(WeakGCHandle<Node> Handle);

    internal record struct HeldPinned(PinnedGCHandle<Node> Handle);

    internal enum Small : short
    {
        None,
    }

    [StructLayout(LayoutKind.Explicit)]
    internal record struct Explicit
    {
        [FieldOffset(0)]
        public int First;

        [FieldOffset(4)]
        public int Second;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal record struct ExplicitTurned
    {
        [FieldOffset(4)]
        public int First;

        [FieldOffset(0)]
        public int Second;
    }

    internal enum Color
    {
        Red,
    }

    internal enum UnsignedColor : uint
    {
        Red,
    }

    internal record struct WithColor(Color Color);

    internal record struct WithUnsignedColor(UnsignedColor Color);

    internal record struct AskedFor(int First, int Last);

    internal record struct NotAskedFor(int First, int Last);

    internal record struct TwelveOld(int A, int B, int C, int D, int E, int F, int G, int H, int I, int J, int K, int L);

    /// <summary>As of a day on which the first five had their names of today.</summary>
    internal record struct TwelveInPart(int A1, int B1, int C1, int D1, int E1, int F, int G, int H, int I, int J, int K, int L);

    internal record struct TwelveButOne(int A1, int B1, int C1, int D1, int E1, int F, int G1, int H1, int I1, int J1, int K1, int L1);

    internal record struct TwelveMixed(int A, int B1, int C, int D1, int E1, int F, int G1, int H, int I, int J, int K, int L);

    [PileName("Pile.Cache.Tests.TypeLayoutTests+TwelveMixed")]
    internal record struct TwelveNow(
        [property: PileName("A")] int A1,
        [property: PileName("B")] int B1,
        [property: PileName("C")] int C1,
        [property: PileName("D")] int D1,
        [property: PileName("E")] int E1,
        [property: PileName("F")] int F1,
        [property: PileName("G")] int G1,
        [property: PileName("H")] int H1,
        [property: PileName("I")] int I1,
        [property: PileName("J")] int J1,
        [property: PileName("K")] int K1,
        [property: PileName("L")] int L1);

    internal record struct ElevenMixed(int A, int B1, int C, int D, int E1, int F1, int G, int H, int I1, int J, int K1);

    internal record struct ElevenNow(
        [property: PileName("A")] int A1,
        [property: PileName("B")] int B1,
        [property: PileName("C")] int C1,
        [property: PileName("D")] int D1,
        [property: PileName("E")] int E1,
        [property: PileName("F")] int F1,
        [property: PileName("G")] int G1,
        [property: PileName("H")] int H1,
        [property: PileName("I")] int I1,
        [property: PileName("J")] int J1,
        [property: PileName("K")] int K1);

    internal record struct PointOld(int X, int Y);

    internal record struct PointNow([property: PileName("X")] int Left, [property: PileName("Y")] int Top);

    internal record struct FivePoints<T>(T A, T B, T C, T D, T E);

    internal record struct BesidePoints<TFields, TPoint>(TPoint A, TFields B, TPoint C);

    internal readonly struct Captured(int x, int y)
    {
        public int Sum() => x + y;
    }

    internal readonly struct CapturedNow(int x, int y)
    {
        [PileName("x")]
        public int Left { get; } = x;

        [PileName("y")]
        public int Top { get; } = y;
    }
}
