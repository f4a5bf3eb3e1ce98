using System;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Generators.Tests;

/// <summary>Fields of types that are never kept: the compiler refuses what a Put refuses.</summary>
public sealed class RefusedTypeTests
{
    public static TheoryData<string> Refused => [.. Refusals.Types.Where(static type => type != typeof(string)).Select(SourceOf)];

    [Theory]
    [MemberData(nameof(Refused))]
    public void EveryTypeThatAPutRefusesIsReported(string type) =>
        Assert.StartsWith("PILE002: A.F is ", Assert.Single(Driver.Diagnose($"[Pile.PileObject] partial class A {{ public {type} F; }}")), StringComparison.Ordinal);

    [Theory]
    [InlineData("System.Action[]", "an array of which each element is a delegate")]
    [InlineData("nint?", "a handle")]
    [InlineData("System.Collections.Generic.List<System.IO.Stream[]>", "a collection of which each item is an array of which each element is a stream")]
    [InlineData("System.Collections.Generic.Dictionary<string, System.Action>", "a collection of which each item is a delegate")]
    [InlineData("System.Collections.Generic.IEnumerable<System.Action>", "a collection of which each item is a delegate")]
    [InlineData("(int, System.Threading.Thread)", "a Thread, which belongs to the running process")]
    [InlineData("Buffered", "a stream")]
    public void WhatHoldsThemIsReportedToo(string type, string what) => Assert.Equal(
        [$"PILE002: A.F is {what}, which can't be kept: mark it [NonSerialized], or keep what it is made from"],
        Driver.Diagnose($"class Buffered : System.IO.MemoryStream; [Pile.PileObject] partial class A {{ public {type} F = default!; }}"));

    [Theory]
    [InlineData("System.Collections.Generic.List<string>[]")]
    [InlineData("System.Collections.Generic.Dictionary<System.Type, System.IO.MemoryStream>")]
    [InlineData("System.Collections.Generic.IEqualityComparer<System.Action>")]
    [InlineData("Loop")]
    [InlineData("object")]
    public void WhatMayBeKeptIsNotReported(string type) =>
        Assert.Empty(Driver.Diagnose($"class Loop : System.Collections.Generic.List<Loop>; [Pile.PileObject] partial class A {{ public {type} F = default!; }}"));

    [Theory]
    [InlineData("public System.Action? F;", "B.F is a delegate")]
    [InlineData("private nint _f;", "B._f is a handle")]
    [InlineData("public System.Func<int>? F { get; set; }", "B.F is a delegate")]
    [InlineData("public event System.Action? F;", "B.F is an event, whose listeners are delegates")]
    public void WhatABaseClassHasIsReported(string field, string what)
    {
        const string Rest = ", which can't be kept: mark it [NonSerialized], or keep what it is made from";

        Assert.Equal([$"PILE002: {what}{Rest}"], Driver.Diagnose($"class B {{ {field} }} class C : B; [Pile.PileObject] partial class A : C;"));

        // Once, and not for each class below, when the base class is marked itself.
        Assert.Equal([$"PILE002: {what}{Rest}"], Driver.Diagnose($"[Pile.PileObject] partial class B {{ {field} }} [Pile.PileObject] partial class A : B;"));
    }

    [Theory]
    [InlineData("class B : System.IO.UnmanagedMemoryStream;", "a stream")]
    [InlineData("abstract class B : System.Runtime.InteropServices.SafeHandle { protected B() : base(0, true) { } }", "a handle")]
    [InlineData("class B : System.Threading.CancellationTokenSource;", "a CancellationTokenSource, which belongs to the running process")]
    public void ATypeBelowOneOfThemIsReported(string above, string what) =>
        Assert.Equal([$"PILE004: A is {what}, which can't be kept"], Driver.Diagnose($"{above} [Pile.PileObject] abstract partial class A : B;"));

    private static string SourceOf(Type type)
    {
        string[] names = type.FullName!.Split('+');
        string name = names[0].Split('`')[0];
        string inside = string.Concat(names.Skip(1).Select(static part => $".{part}"));
        return type.IsGenericTypeDefinition ? $"{name}<{string.Join(", ", type.GetGenericArguments().Select(static _ => "object"))}>{inside}" : name + inside;
    }
}
