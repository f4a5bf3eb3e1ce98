using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 25 to 34: arrays.</summary>
public sealed class ArrayCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case025_ArraysOfSeveralDimensions(string plan)
    {
        using var pile = new CasePile(plan);
        int[,] grid = { { 1, 2, 3 }, { 4, 5, 6 } };
        Assert.Equal(grid, pile.Back(grid));
        string?[,,] cube = new string?[2, 3, 4];
        cube[1, 2, 3] = "corner";
        Assert.Equal("corner", pile.Back(cube)[1, 2, 3]);
        Array four = Array.CreateInstance(typeof(CaseTypes.Fixed), 2, 1, 2, 1);
        four.SetValue(new CaseTypes.Fixed(1, "x"), 1, 0, 1, 0);
        pile.BackAsObject(four);
        object[,] loop = new object[1, 1];
        loop[0, 0] = loop;
        Assert.Same(loop[0, 0], loop);
        object[,] looped = pile.Back(loop);
        Assert.Same(looped, looped[0, 0]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case026_ArraysOfArrays(string plan)
    {
        using var pile = new CasePile(plan);
        int[] shared = [7];
        int[][][] jagged = pile.Back<int[][][]>([[[1, 2], shared], [], null!, [shared, null!]]);
        Assert.Same(jagged[0][1], jagged[3][0]);
        pile.Back(new[] { new int[1, 2], null, new int[0, 0] });
        pile.Back(new[,] { { new[] { 1 }, null } });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case027_AnEmptyArrayThatHasALengthInTheOtherDimension(string plan)
    {
        using var pile = new CasePile(plan);
        int[,] got = pile.Back(new int[0, 5]);
        Assert.Equal((0, 5), (got.GetLength(0), got.GetLength(1)));
        Assert.Equal(7, pile.Back(new string[3, 0, 7]).GetLength(2));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case028_AnArrayThatBeginsAtFive(string plan)
    {
        using var pile = new CasePile(plan);
        Array bounded = Array.CreateInstance(typeof(int), [3], [5]);
        bounded.SetValue(7, 6);
        Array got = pile.BackAsObject(bounded);
        Assert.Equal(7, got.GetValue(6));
        Assert.NotEqual(typeof(int[]), got.GetType());
        Array grid = Array.CreateInstance(typeof(string), [2, 2], [-1, 10]);
        grid.SetValue("x", 0, 11);
        Assert.Equal("x", pile.BackAsObject(grid).GetValue(0, 11));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case029_StringsInAPlaceOfObjects(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.IsType<string[]>(pile.Back<object[]>(new string[] { "a", "b" }));
        Assert.IsType<string[]>(pile.Back(new CaseTypes.Box<object[]> { Value = new string[] { "a" } }).Value);
        Assert.IsType<CaseTypes.Circle[]>(pile.Back(new CaseTypes.Box<CaseTypes.Shape[]> { Value = new[] { new CaseTypes.Circle("a", "b") } }).Value);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case030_UnsignedNumbersInAPlaceOfSignedOnes(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Equal(typeof(uint[]), pile.Back(new CaseTypes.Typed { Array = (int[])(object)new uint[] { 1, uint.MaxValue } }).Array!.GetType());
        Assert.Equal(typeof(DayOfWeek[]), pile.Back(new CaseTypes.Typed { Array = (int[])(object)new[] { DayOfWeek.Friday } }).Array!.GetType());
        Assert.Equal(typeof(uint[]), pile.Back((int[])(object)new uint[] { 5 }).GetType());
        Assert.Equal(typeof(sbyte[]), pile.Back(new CaseTypes.Box<byte[]> { Value = (byte[])(object)new sbyte[] { -1 } }).Value!.GetType());
        Assert.Equal(typeof(sbyte[]), pile.Back((byte[])(object)new sbyte[] { -1 }).GetType());
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case031_ArraysOfEnums(string plan)
    {
        using var pile = new CasePile(plan);
        pile.BackAsObject(new[] { CaseTypes.Small.One, CaseTypes.Small.Last, (CaseTypes.Small)77 });
        pile.BackAsObject(new[] { CaseTypes.Wide.Top, CaseTypes.Wide.None });
        pile.Back(new CaseTypes.Box<DayOfWeek[]> { Value = [.. Enumerable.Repeat(DayOfWeek.Sunday, 100)] });
        pile.BackAsObject(new CaseTypes.Small?[] { null, CaseTypes.Small.One });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case032_ElementsThatAreNull(string plan)
    {
        using var pile = new CasePile(plan);
        pile.Back(new string?[] { null, "a", null });
        pile.Back(new object?[] { null, null });
        pile.Back(new CaseTypes.Node?[] { null, new(), null });
        pile.Back(new List<string?> { null, "a" });
        pile.BackAsObject(new int?[] { null, 0, 1 });
        pile.Back(new Dictionary<int, string?> { [1] = null });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case033_ArraysWithoutElements(string plan)
    {
        using var pile = new CasePile(plan);
        object[] got = pile.Back(new object[] { Array.Empty<int>(), Array.Empty<string>(), Array.Empty<object>(), Array.Empty<byte>(), Array.Empty<CaseTypes.Fixed>(), Array.Empty<int[]>(), Array.Empty<bool>(), Array.Empty<double>() });
        Assert.All(got, static array => Assert.Empty((Array)array));
        pile.BackAsObject(Array.Empty<int>());
        pile.Back(Array.Empty<object>());
        string[] empty = [];
        CaseTypes.Pair pair = pile.Back(new CaseTypes.Pair { First = empty, Second = empty });
        Assert.Same(pair.First, pair.Second);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case034_TheLongestArrayClaimedInTenBytesIsRejected(string plan)
    {
        var store = new GraphStore(null, Enum.Parse<Pile.Codecs.PlanMode>(plan));
        _ = store.Write(new object[] { new int[1], new string[1], new long[2, 2], new List<int>(), new Dictionary<int, int>(), new CaseTypes.Fixed[1], new byte[1], new CaseTypes.Node(), new HashSet<string>(), "", new CaseTypes.Link() });
        foreach (Pile.Codecs.TypeVersion version in store.Table.Versions())
        {
            byte number = (byte)version.Schema.Number;
            foreach (byte[] claim in new byte[][]
            {
                [0x92, 0xc2, 0xdd, 0x7f, 0xff, 0xff, 0xc7, number, 0xc0, 0xc0],
                [0x92, 0xc3, 0xdd, 0x7f, 0xff, 0xff, 0xc7, number, 0xdd, 0x7f],
                [0xdd, 0x7f, 0xff, 0xff, 0xc7, number, 0xc0, 0xc0, 0xc0, 0xc0],
                [0x93, 0xc3, 0xc7, 0x06, 0x02, number, 0xce, 0x7f, 0xff, 0xff, 0xc7, 0x91, 0x90],
                [0x92, 0xc2, 0xc9, 0x7f, 0xff, 0xff, 0xc7, 0x0a, 0x06, 0x00],
                [0x92, 0xc2, 0xc6, 0x7f, 0xff, 0xff, 0xc7, 0x00, 0x00, 0x00],
            })
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                Assert.ThrowsAny<PileException>(() => store.Read<object>(claim));
                Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 256 << 10);
            }
        }
    }
}
