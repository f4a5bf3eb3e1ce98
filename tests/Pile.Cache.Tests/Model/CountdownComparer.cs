// A comparer of bytes that throws at one of its comparisons, which none may. All its keys have one hash, so that each looks at all the others.
// It counts the comparisons of one thread.
using System;

namespace Pile.Cache.Tests.Model;

internal sealed class CountdownComparer : IPileKeyComparer
{
    private int _calls;

    public string Name => "countdown";

    /// <summary>The comparison that throws, of those of the thread; 0 for none.</summary>
    internal int ThrowsAt { get; private set; }

    private int ThreadId { get; set; }

    /// <summary>Lets one of the calling thread's comparisons throw.</summary>
    internal void Arm(int throwsAt) => (_calls, ThrowsAt, ThreadId) = (0, throwsAt, Environment.CurrentManagedThreadId);

    public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => 12345;

    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) =>
        ThrowsAt > 0 && ThreadId == Environment.CurrentManagedThreadId && ++_calls == ThrowsAt ? throw new NotSupportedException("the test wants it so") : left.SequenceEqual(right);
}
