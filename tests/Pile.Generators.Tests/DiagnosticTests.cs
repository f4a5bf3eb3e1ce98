using System;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Generators.Tests;

/// <summary>What the compiler says before a program runs.</summary>
public sealed class DiagnosticTests
{
    [Theory]
    [InlineData("class A;", "PILE001: A is marked [PileObject] but it, or a type around it, is not partial: no code can be added to it")]
    [InlineData("partial class A { public System.Action? Handler; }", "PILE002: A.Handler is a delegate, which can't be kept: mark it [NonSerialized], or keep what it is made from")]
    [InlineData("partial class A { public System.Func<int>? Handler { get; set; } }", "PILE002: A.Handler is a delegate, which can't be kept: mark it [NonSerialized], or keep what it is made from")]
    [InlineData("partial class A { public event System.Action? Changed; }", "PILE002: A.Changed is an event, whose listeners are delegates, which can't be kept: mark it [NonSerialized], or keep what it is made from")]
    [InlineData("partial class A { private nint _handle; }", "PILE002: A._handle is a handle, which can't be kept: mark it [NonSerialized], or keep what it is made from")]
    [InlineData("partial class A { public System.IO.FileStream? File; }", "PILE002: A.File is a stream, which can't be kept: mark it [NonSerialized], or keep what it is made from")]
    [InlineData("partial class A { public System.Threading.Tasks.Task<int>? Running; }", "PILE002: A.Running is a Task, which belongs to the running process, which can't be kept: mark it [NonSerialized], or keep what it is made from")]
    [InlineData("abstract partial class A : System.IO.Stream;", "PILE004: A is a stream, which can't be kept")]
    [InlineData("ref partial struct A;", "PILE004: A is a ref struct, which can't be kept")]
    [InlineData("static partial class A;", "PILE004: A is a static class, which can't be kept")]
    [InlineData("partial class A<T> { public T? Item; }", "PILE006: No code is generated for A<T>, because it is generic; it is stored all the same, by code compiled at run time")]
    [InlineData("partial class A(int x) { public int X() => x; }", "PILE006: No code is generated for A, because members use x, a parameter of a primary constructor, which is kept in a field without a name; it is stored all the same, by code compiled at run time")]
    [InlineData("partial class A() : B(5); class B(int x) { public int X { get; } = x; public int Y { get => x; } }", "PILE006: No code is generated for A, because members use x, a parameter of a primary constructor, which is kept in a field without a name; it is stored all the same, by code compiled at run time")]
    [InlineData("partial class A : System.Collections.Generic.List<int>;", "PILE006: No code is generated for A, because the private fields of its base List are in another assembly; it is stored all the same, by code compiled at run time")]
    public void AMarkedTypeThatCannotBeServedIsReported(string type, string expected) =>
        Assert.Equal([expected], Driver.Diagnose("[Pile.PileObject] " + type));

    [Theory]
    [InlineData("partial class A { [System.NonSerialized] public System.Action? Handler; }")]
    [InlineData("partial class A { [field: System.NonSerialized] public event System.Action? Changed; }")]
    [InlineData("partial class A { public static System.Action? Handler; public System.IO.MemoryStream? Bytes; public System.Type? Type; }")]
    [InlineData("partial class A(int x) : B(x) { private readonly int _x = x; public int Y { get; } = x; public int Z(int x) => x; } class B(int y) { public int Y0 = y; }")]
    [InlineData("partial record A(int X) { public int Y() => X; }")]
    [InlineData("partial class A { public dynamic? F; public System.Collections.Generic.List<dynamic>? G; }")]
    [InlineData("partial class A { public int X; } partial interface I { [Pile.PileObject] public sealed partial record B(int X, string Y); }")]
    [InlineData("partial class @event { public int @class; internal partial record struct @int(@event @struct); }")]
    [InlineData("partial class @required { public int X; internal partial record struct @file(@required @scoped); }")]
    [InlineData("partial class Ab { public int X; } [Pile.PileObject] partial class AB { public int Y; }")]
    [InlineData("partial class A { public int X; } namespace @namespace.@in { [Pile.PileObject] public partial record A(int X); }")]
    public void WhatIsNotKeptOrCanBeKeptIsNotReported(string type) => Assert.Empty(Driver.Diagnose("[Pile.PileObject] " + type));

    [Theory]
    [InlineData("PileLease lease = pile.Lease(pointer); int n = lease.Length;", "PILE005: pile.Lease(pointer)")]
    [InlineData("var lease = pile.Lease(pointer); foreach (byte b in lease.Bytes) { }", "PILE005: pile.Lease(pointer)")]
    [InlineData("pile.Lease(pointer);", "PILE005: pile.Lease(pointer)")]
    [InlineData("_ = pile.Lease(pointer).Length;", "PILE005: pile.Lease(pointer)")]
    [InlineData("if (pile.TryLease(pointer, out PileLease lease)) { int n = lease.Length; }", "PILE005: out PileLease lease")]
    [InlineData("pile.TryLease(pointer, out var lease, out _);", "PILE005: out var lease")]
    [InlineData("bool isThere = pile.TryLease(pointer, out _);", "PILE005: out _")]
    [InlineData("bool isThere = pile.TryLease(pointer, out PileLease _);", "PILE005: out PileLease _")]
    [InlineData("PilePin pin = pile.Pin(pointer); int n = pin.Length;", "PILE005: pile.Pin(pointer)")]
    [InlineData("System.ReadOnlyMemory<byte> memory = pile.Pin(pointer).Memory;", "PILE005: pile.Pin(pointer)")]
    [InlineData("pile.Pin(pointer);", "PILE005: pile.Pin(pointer)")]
    [InlineData("if (pile.TryPin(pointer, out PilePin? pin)) { int n = pin.Length; }", "PILE005: out PilePin? pin")]
    [InlineData("bool isThere = pile.TryPin(pointer, out _, out PileStatus status);", "PILE005: out _")]
    public async Task ALeaseOrPinThatNobodyEndsIsReported(string body, string expected) => Assert.Equal([expected], await Driver.AnalyzeAsync(body));

    [Theory]
    [InlineData("using PileLease lease = pile.Lease(pointer); int n = lease.Length;")]
    [InlineData("using (PileLease lease = pile.Lease(pointer)) { }")]
    [InlineData("PileLease lease = pile.Lease(pointer); try { } finally { lease.Dispose(); }")]
    [InlineData("PileLease lease = pile.Lease(pointer); Take(lease);")]
    [InlineData("Take(pile.Lease(pointer));")]
    [InlineData("if (pile.TryLease(pointer, out PileLease lease)) { using (lease) { int n = lease.Length; } }")]
    [InlineData("if (pile.TryLease(pointer, out var lease)) { lease.Dispose(); }")]
    [InlineData("int.TryParse(\"5\", out _); int.TryParse(\"5\", out int number);")]
    [InlineData("pile.Lease(pointer).Dispose();")]
    [InlineData("using PilePin pin = pile.Pin(pointer); int n = pin.Length;")]
    [InlineData("PilePin? pin = null; try { pin = pile.Pin(pointer); } finally { pin?.Dispose(); }")]
    [InlineData("var pins = new System.Collections.Generic.List<PilePin> { pile.Pin(pointer) }; pins.Add(pile.Pin(pointer));")]
    [InlineData("PilePin pin = pile.Pin(pointer); System.Action end = () => pin.Dispose();")]
    [InlineData("if (pile.TryPin(pointer, out PilePin? pin)) { using (pin) { } }")]
    [InlineData("pile.TryPin(pointer, out var pin); pin?.Dispose();")]
    public async Task ALeaseOrPinThatEndsOrIsHandedOnIsNotReported(string body) => Assert.Empty(await Driver.AnalyzeAsync(body));

    [Fact]
    public void TheSourceOfASmallTypeIsWhatItWas()
    {
        string source = Assert.Single(Driver.Generate("namespace N; [Pile.PileObject] public partial class A { private readonly int _x; public string? S { get; init; } internal A? Next; }"));

        Assert.Equal(Expected, source.ReplaceLineEndings("\n"), ignoreLineEndingDifferences: true);
    }

    [Fact]
    public void ASealedTypeWhoseLastFieldIsOfItsOwnKindGetsALoop()
    {
        string source = Assert.Single(Driver.Generate("[Pile.PileObject] public sealed partial class A { private int _x; internal A? Next; }")).ReplaceLineEndings("\n");

        Assert.Contains("while (true)\n            {\n            writer.Write(F0(it));\n            global::A next = F1(it);\n            if (!formatters.WriteNext<global::A>(writer, next)) return;\n            it = next;\n", source, StringComparison.Ordinal);
        Assert.Contains("bool isMore = formatters.ReadNext<global::A>(ref reader, out global::A next);\n            F1(it) = next;\n            if (!isMore) return;\n", source, StringComparison.Ordinal);
    }

    private const string Expected = """
        // <auto-generated/>
        #nullable disable
        #pragma warning disable
        namespace N;

        partial class A
        {
            [global::System.CodeDom.Compiler.GeneratedCode("Pile.Generators", "1")]
            internal sealed class PileFields__
            {
                [global::System.Runtime.CompilerServices.UnsafeAccessor(global::System.Runtime.CompilerServices.UnsafeAccessorKind.Field, Name = "_x")]
                private static extern ref int F0(global::N.A it);

                [global::System.Runtime.CompilerServices.UnsafeAccessor(global::System.Runtime.CompilerServices.UnsafeAccessorKind.Field, Name = "<S>k__BackingField")]
                private static extern ref string F1(global::N.A it);

                [global::System.Runtime.CompilerServices.UnsafeAccessor(global::System.Runtime.CompilerServices.UnsafeAccessorKind.Field, Name = "Next")]
                private static extern ref global::N.A F2(global::N.A it);

                [global::System.Runtime.CompilerServices.MethodImpl(global::System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
                private void Write(global::Pile.PileFieldWriter writer, global::Pile.PileFieldFormatters formatters, ref global::N.A value)
                {
                    global::N.A it = value;
                    global::Pile.PileFieldRun run0 = writer.Begin(2);
                    run0.Write(F0(it));
                    run0.Write(F1(it), writer);
                    writer.End(run0);
                    formatters.Write<global::N.A>(2, writer, F2(it));
                }

                [global::System.Runtime.CompilerServices.MethodImpl(global::System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
                private void Read(ref global::Pile.PileFieldReader reader, global::Pile.PileFieldFormatters formatters, ref global::N.A value)
                {
                    global::N.A it = value;
                    int v0 = reader.ReadInt32();
                    F0(it) = v0;
                    string v1 = reader.ReadString();
                    F1(it) = v1;
                    global::N.A v2 = formatters.Read<global::N.A>(2, ref reader);
                    F2(it) = v2;
                }

                [global::System.Runtime.CompilerServices.ModuleInitializer]
                internal static void Register()
                {
                    var it = new PileFields__();
                    global::Pile.PileFieldPlan.Register<global::N.A>(new string[] { "_x", "<S>k__BackingField", "Next" }, it.Write, it.Read);
                }
            }
        }

        """;
}
