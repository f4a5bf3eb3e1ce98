using System.Collections.Generic;
using System.Linq;
using Pile.Tidy.Source;

namespace Pile.Tidy.UnsafeCode;

/// <summary>Sources with and without the comment that <see cref="SafetyCommentRule"/> wants.</summary>
internal static class SafetyPlantings
{
    private const string Path = "src/Pile/Memory/A.cs";

    private const string Comment = "// SAFETY: the caller checks it.\n";

    public static IReadOnlyList<Planted> All { get; } = [.. Bad.Select(text => new Planted(Path, text, 1)), .. Good.Select(text => new Planted(Path, text, 0))];

    private static string[] Bad =>
    [
        "class A { unsafe void M() { } }",
        "class A { int M() { unsafe { return 1; } } }",
        "class A { unsafe byte* _start; }",
        "class A { unsafe delegate void D(byte* p); }",
        "class A { unsafe A(byte* p) { } }",
        "class A { unsafe int this[int i] => _start[i]; }",
        "class A { unsafe int P { get { return *_start; } } }",
        "class A { public static unsafe A operator +(A x, A y) => x; }",
        "class A { object M(object x) => Unsafe.As<A>(x); }",
        "class A { [DllImport(\"c\")] static extern int getpid(); }",
        "class A { void M() { void Inner(byte* p) { } } }",
        "// SAFETY: too short\nclass A { unsafe void M() { } }",
        "class A { // SAFETY: no\n unsafe void M() { } }",
        "class A { unsafe void M() { int x = 1; // SAFETY: comes too late here\n x++; } }",
        "class A { unsafe int M() { return 1; } " + Comment + " }",
        "unsafe class A { int X; }",
        Comment + "unsafe class A { int M(byte* p) => *p; }",
        Comment + "unsafe class A { byte* _start; int M(int i) => _start[i]; }",
        Comment + "unsafe class A { byte* _start; Span<byte> M() => new(_start, 8); }",
        Comment + "unsafe class A { byte* Start { get; } A(byte* start) { Start = start; } }",
        Comment + "unsafe class A { static extern int getpid(); }",
        Comment + "unsafe class A { void M() { NativeMemory.Free(null); } }",
        Comment + "unsafe class A { class B { int M(byte* p) => p[0]; } }",
    ];

    private static string[] Good =>
    [
        "class A {\n" + Comment + " unsafe void M() { } }",
        "class A { /// <summary>Text.</summary>\n" + Comment + "[Attribute] unsafe void M() { } }",
        "class A { [Attribute]\n" + Comment + "internal unsafe void M() { } }",
        "class A { unsafe void M() { " + Comment + " int x = 1; } }",
        "class A { unsafe void M()\n{\n" + Comment + "}\n}",
        "class A { unsafe int M() => " + Comment + " 1; }",
        "class A { unsafe int P { get { " + Comment + " return *_start; } } }",
        "class A { int M() { " + Comment + " unsafe { return 1; } } }",
        "class A { unsafe int M() =>\n*_start; " + Comment + " }",
        "class A { int M(int x) => x & 7; }",
        Comment + "unsafe class A { byte* _start; int X; byte* Start { get; } int M(int x) => x + X; }",
        Comment + "unsafe interface IA { void M(byte* p); }",
        Comment + "unsafe class A {\n" + Comment + " int M(byte* p) => *p; }",
        "/// <summary>Text.</summary>\n" + Comment + "[Attribute]\ninternal sealed unsafe class A;",
    ];
}
