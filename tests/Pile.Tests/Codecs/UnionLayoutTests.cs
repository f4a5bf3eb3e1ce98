using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>F#'s struct unions within structs that are kept by their bytes where they hold none: inline arrays, explicit layouts, sizes beyond the fields.</summary>
public sealed class UnionLayoutTests
{
    private const string Before = "struct A|B of vB|C";
    private const string After = "struct New|C|A|B of vB";

    [Theory]
    [InlineData("Four", false)]
    [InlineData("Four", true)]
    [InlineData("Laid", false)]
    [InlineData("Laid", true)]
    public void ACaseIsTheSameInAStructOfAnyLayoutWhateverItsNumberIs(string layout, bool isBoxed)
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(In(layout, UnionTypes.Define(Before), isBoxed));

        Assert.Equal(layout == "Four" ? "C, B 3, A, C" : "B 3 and 5", Show(Read(before, bytes, layout, UnionTypes.Define(After))));
    }

    /// <summary>No schema says what the numbers in those bytes were.</summary>
    [Theory]
    [InlineData("Four", false)]
    [InlineData("Four", true)]
    [InlineData("Laid", false)]
    [InlineData("Laid", true)]
    [InlineData("Sized", false)]
    [InlineData("Sized", true)]
    public void WhatWasStoredByItsBytesAloneIsRefused(string layout, bool isBoxed)
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(In(layout, UnionTypes.Define(Before, isMarked: false), isBoxed));

        string message = Assert.Throws<PileTypeMismatchException>(() => Read(before, bytes, layout, UnionTypes.Define(Before))).Message;

        Assert.Contains(layout, message, StringComparison.Ordinal);
        Assert.Contains("Describe and ToJson read it", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Sized", "leave the Size out of its StructLayout")]
    [InlineData("Mixed", "keep a copy with fields of their own")]
    public void ALayoutThatFieldsAloneDontTellIsRefusedWithTheWayOut(string layout, string wayOut)
    {
        Type union = UnionTypes.Define(Before);
        foreach (bool isBoxed in new[] { false, true })
        {
            string message = Assert.Throws<PileRefusedException>(() => new GraphStore().Write(In(layout, union, isBoxed))).Message;

            Assert.Contains(layout, message, StringComparison.Ordinal);
            Assert.Contains(wayOut, message, StringComparison.Ordinal);
        }
    }

    /// <summary>Those of F#'s own library never get cases.</summary>
    [Theory]
    [InlineData("Four")]
    [InlineData("Laid")]
    [InlineData("Sized")]
    [InlineData("Mixed")]
    public void AroundAUnionOfFSharpsOwnLibraryAnyLayoutIsKept(string layout)
    {
        var store = new GraphStore();
        object first = In(layout, UnionTypes.Define(Before, "FSharp.Core"), isBoxed: true);

        object read = Assert.Single(store.Read<object[]>(store.Write(first)));
        Assert.Equal(Show(((object[])first)[0]), Show(read));
    }

    /// <summary>A value that is in a place of its type, or in a box: an array of one either way.</summary>
    private static Array In(string layout, Type union, bool isBoxed)
    {
        object value = Activator.CreateInstance(TypeOf(layout, union))!;
        if (value is ILayout holder)
        {
            holder.Set(Array.ConvertAll(["C", "B 3", "A", "C"], text => UnionTypes.Make(union, text)));
        }
        else
        {
            value.GetType().GetField("Number")!.SetValue(value, 5);
            value.GetType().GetField("Value")!.SetValue(value, UnionTypes.Make(union, "B 3"));
        }

        var array = Array.CreateInstance(isBoxed ? typeof(object) : value.GetType(), 1);
        array.SetValue(value, 0);
        return array;
    }

    private static object Read(GraphStore before, byte[] bytes, string layout, Type union)
    {
        var after = new GraphStore(before);
        after.Table.Known.Add(TypeOf(layout, union));
        return after.Read<Array>(bytes).GetValue(0)!;
    }

    private static Type TypeOf(string layout, Type union) => layout switch
    {
        "Four" => typeof(Four<>).MakeGenericType(union),
        "Sized" => typeof(Sized<>).MakeGenericType(union),
        _ => union.Assembly.GetType($"Shop.{layout}")!,
    };

    private static string Show(object value) => value is ILayout holder
        ? string.Join(", ", holder.Get().Select(UnionTypes.Show))
        : $"{UnionTypes.Show(value.GetType().GetField("Value")!.GetValue(value)!)} and {value.GetType().GetField("Number")!.GetValue(value)}";

    internal interface ILayout
    {
        void Set(object[] cases);

        object[] Get();
    }

    [InlineArray(4)]
    internal struct Four<T> : ILayout
    {
        private T _first;

        public void Set(object[] cases)
        {
            for (int index = 0; index < cases.Length; index++)
            {
                this[index] = (T)cases[index];
            }
        }

        public readonly object[] Get() => Array.ConvertAll(((ReadOnlySpan<T>)this).ToArray(), static value => (object)value!);
    }

    [StructLayout(LayoutKind.Sequential, Size = 64)]
    internal struct Sized<T> : ILayout
    {
        public T Value;

        public void Set(object[] cases) => Value = (T)cases[0];

        public readonly object[] Get() => [Value!];
    }
}
