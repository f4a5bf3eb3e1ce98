using System.Collections.Generic;
using Microsoft.CodeAnalysis;
using Pile.Tidy.Source;

namespace Pile.Tidy.UnsafeCode;

/// <summary>Unsafe code stays in its rooms.</summary>
internal sealed class UnsafeRoomRule : IRule
{
    public string Name => "unsafe room";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/Table/A.cs", "unsafe class A;", 1),
        new("src/Pile/Table/A.cs", "class A { void M() { unsafe { } } }", 1),
        new("src/Pile/Table/A.cs", "class A { byte* _start; }", 1),
        new("src/Pile/Table/A.cs", "class A { delegate*<void> _call; }", 1),
        new("src/Pile/Table/A.cs", "class A { void M(byte[] x) { fixed (byte* p = x) { } } }", 2),
        new("src/Pile/Table/A.cs", "class A { int M(int x) => *(&x); }", 2),
        new("src/Pile/Table/A.cs", "class A { int M() => x->Length; }", 1),
        new("src/Pile/Table/A.cs", "class A { object M(object x) => Unsafe.As<A>(x); }", 1),
        new("src/Pile/Table/A.cs", "class A { void M() => System.Runtime.InteropServices.NativeMemory.Free(null); }", 1),
        new("src/Pile/Table/A.cs", "class A { void M(Span<int> x) => MemoryMarshal.GetReference(x); }", 1),
        new("src/Pile/Table/A.cs", "class A { void M() => Marshal.AllocHGlobal(8); }", 1),
        new("src/Pile/Table/A.cs", "class A { [DllImport(\"c\")] static extern int getpid(); }", 1),
        new("src/Pile/Table/A.cs", "class A { [LibraryImportAttribute(\"c\")] static extern int getpid(); }", 1),
        new("src/Pile/Table/A.cs", "using static System.Runtime.CompilerServices.Unsafe; class A;", 1),
        new("src/Pile/Table/A.cs", "using U = System.Runtime.CompilerServices.Unsafe; class A;", 1),
        new("src/Pile.Cache/Memory/A.cs", "unsafe class A;", 1),
        new("tests/Pile.Tests/Table/A.cs", "unsafe class A;", 1),
        new("bench/Pile.Bench/Loops/A.cs", "unsafe class A;", 1),
        new("samples/PackageGraph/Memory/A.cs", "unsafe class A;", 1),
        new("src/Pile/Memory/Linux/A.cs", "unsafe class A;", 0),
        new("src/Pile.Interop/A.cs", "unsafe class A;", 0),
        new("tests/Pile.Tests/Memory/A.cs", "unsafe class A;", 0),
        new("bench/Pile.Bench/Baselines/A.cs", "unsafe class A;", 0),
        new("src/Pile/Table/A.cs", "class A { void M() { Span<byte> x = stackalloc byte[8]; x.Clear(); } }", 0),
        new("src/Pile/Table/A.cs", "class A { int X = Unsafe.SizeOf<int>() & 7; object Y = MemoryMarshal.AsBytes<int>(x); }", 0),
        new("src/Pile/Table/A.cs", "/// <summary>Not unsafe, no <c>Unsafe.As</c>.</summary>\nclass A { string X = \"unsafe\"; }", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        if (UnsafeRooms.Contains(file))
        {
            yield break;
        }
        foreach ((SyntaxNodeOrToken where, string what) in UnsafeSyntax.Find(file.Root))
        {
            int line = where.GetLocation()!.GetLineSpan().StartLinePosition.Line + 1;
            yield return new(Name, file.RelativePath, line,
                $"{what}: only in src/Pile/Memory and src/Pile.Interop (tests: Memory, Interop; bench: Baselines). Ask Memory for a checked span.");
        }
    }
}
