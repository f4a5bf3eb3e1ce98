using System;
using System.Linq;
using Xunit;

namespace Pile.Generators.Tests;

/// <summary>What the compiler says of types with [DataContract] and [DataMember(Order)]; nobody has asked for code for them, so that
/// nothing is an error but what is also marked [PileObject].</summary>
public sealed class ContractDiagnosticTests
{
    private const string Head = "using System.Runtime.Serialization; ";
    private const string Mend = ", which can't be kept: mark it [NonSerialized], or keep what it is made from";

    [Theory]
    [InlineData("[DataContract] partial class A { [DataMember(Order = 1)] public int X; }", true)]
    [InlineData("[DataContract] partial struct A { [DataMember(Order = 1)] public int X { get; set; } }", true)]
    [InlineData("[DataContract] sealed partial record A([property: DataMember(Order = 0)] int X, [property: DataMember(Order = 1)] string? Y);", true)]
    [InlineData("[DataContract] class A { [DataMember(Order = 1)] public int X; }", false)]
    public void APartialContractGetsAPlan(string type, bool isGenerated) =>
        Assert.Equal(isGenerated, Driver.Generate(Head + type).SingleOrDefault()?.Contains("PileFieldPlan.Register<global::A>", StringComparison.Ordinal) ?? false);

    [Theory]
    [InlineData("[DataContract] class A { [DataMember(Order = 1)] public System.Action? H; }", "PILE002: A.H is a delegate" + Mend, false)]
    [InlineData("[DataContract] partial class A { [DataMember(Order = 1)] public System.Action? H { get; set; } }", "PILE002: A.H is a delegate" + Mend, true)]
    [InlineData("[DataContract] partial class A { [DataMember(Order = 1)] public int X; private nint _h; }", "PILE002: A._h is a handle" + Mend, true)]
    [InlineData("[DataContract] partial class A { [DataMember(Order = 1)] public int X; public event System.Action? Changed; }", "PILE002: A.Changed is an event, whose listeners are delegates" + Mend, true)]
    [InlineData("[DataContract] unsafe partial class A { private int* _p; }", "PILE002: A._p is a pointer" + Mend, false)]
    [InlineData("[DataContract] abstract partial class A : System.IO.Stream;", "PILE004: A is a stream, which can't be kept", false)]
    [InlineData("[DataContract] static partial class A;", "PILE004: A is a static class, which can't be kept", false)]
    [InlineData("[DataContract] partial class A<T> { [DataMember(Order = 1)] public T? X; }", "PILE006: No code is generated for A<T>, because it is generic; it is stored all the same, by code compiled at run time", false)]
    public void AContractThatCannotBeServedIsReported(string type, string expected, bool isGenerated)
    {
        string[] found = Driver.Diagnose(Head + type, out string[] generated);

        Assert.Equal(expected, found[0]);
        Assert.All(found.Skip(1), static other => Assert.StartsWith("PILE006", other, StringComparison.Ordinal));
        Assert.Equal(isGenerated, generated.Length == 1);
    }

    [Theory]
    [InlineData("[DataContract] class A { [DataMember(Order = 1)] public int X; private System.Action? _h; public event System.Action? Changed; }")]
    [InlineData("[DataContract] partial class A { [DataMember(Order = 1)] public int X; [System.NonSerialized] public System.Action? H; }")]
    [InlineData("[DataContract] partial class A { [DataMember(Order = 1)] public int X; [DataMember(Order = 2)] public int Y; [DataMember] public int Z; [DataMember] public int Z2; }")]
    public void AContractThatIsServedIsNotReported(string type) => Assert.Empty(Driver.Diagnose(Head + type));

    [Theory]
    [InlineData("[DataContract] class A { [DataMember(Order = 1)] public int X; [DataMember(Order = 1)] public int Y { get; set; } [DataMember(Order = 2)] public int Z; }", "A.X and A.Y")]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] public int X; } [DataContract] class A : B { [DataMember(Order = 1)] public int Y; }", "B.X and A.Y")]
    [InlineData("[DataContract] class C { [DataMember(Order = 1)] public int X; } [DataContract] class B : C; [DataContract] class A : B { [DataMember(Order = 1)] public int Y; }", "C.X and A.Y")]
    [InlineData("class B { [DataMember(Order = 1)] public int X; [DataMember(Order = 1)] public int Y; } [DataContract] class A : B;", "B.X and B.Y")]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] public int X; [DataMember(Order = 1)] public int Y; } [DataContract] class A : B;", "B.X and B.Y")]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] protected int X; } [DataContract] class A : B { [DataMember(Order = 1)] public int Y; }", "B.X and A.Y")]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] public int X; } [DataContract] class A : B { [DataMember(Order = 1)] public new int X; }", "B.X and A.X")]
    [InlineData("[DataContract] class B<T> { [DataMember(Order = 1)] public T? X; } [DataContract] class A : B<int> { [DataMember(Order = 1)] public int Y; }", "B.X and A.Y")]
    public void TwoMembersWithOneOrderAreReported(string types, string members)
    {
        string[] found = Driver.Diagnose(Head + types);

        Assert.Equal([$"PILE003: {members} have the same Order 1: give each member its own"], found);
    }

    [Theory]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] public virtual int X { get; set; } } [DataContract] class A : B { [DataMember(Order = 1)] public override int X { get; set; } }")]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] public int X { get; set; } } [DataContract] class A : B { [DataMember(Order = 1)] public new int X { get; set; } }")]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] private int X; public int Get() => X; } [DataContract] class A : B { [DataMember(Order = 1)] public int Y; }")]
    [InlineData("[DataContract] class B { [DataMember(Order = 1)] public int X; } [DataContract] class A : B { [DataMember(Order = 2)] public int Y; }")]
    public void MembersThatReplaceOthersOrHaveOrdersOfTheirOwnAreNotReported(string types) => Assert.Empty(Driver.Diagnose(Head + types));

    [Fact]
    public void WhatIsMarkedForAPileIsAnErrorAndAContractAloneAWarning()
    {
        const string Type = "{ [DataMember(Order = 1)] public System.Action? X; [DataMember(Order = 1)] public int Y; }";

        Assert.Equal(["Warning PILE002", "Warning PILE003"], Driver.Severities($"{Head} [DataContract] partial class A {Type}"));
        Assert.Equal(["Error PILE002", "Error PILE003"], Driver.Severities($"{Head} [DataContract, Pile.PileObject] partial class A {Type}"));
    }
}
