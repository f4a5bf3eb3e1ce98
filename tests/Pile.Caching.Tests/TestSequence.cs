using System;
using System.Buffers;

namespace Pile.Caching.Tests;

/// <summary>Sequences of several segments.</summary>
internal sealed class TestSequence : ReadOnlySequenceSegment<byte>
{
    private TestSequence(ReadOnlyMemory<byte> memory, long runningIndex)
    {
        Memory = memory;
        RunningIndex = runningIndex;
    }

    /// <summary>The bytes, cut where it is told, with empty segments where two cuts are the same.</summary>
    internal static ReadOnlySequence<byte> Of(byte[] bytes, params int[] cuts)
    {
        int from = 0;
        TestSequence? first = null;
        TestSequence? last = null;
        foreach (int to in (int[])[.. cuts, bytes.Length])
        {
            var next = new TestSequence(bytes.AsMemory(from, to - from), from);
            _ = last?.Next = next;
            first ??= next;
            last = next;
            from = to;
        }

        return new ReadOnlySequence<byte>(first!, 0, last!, last!.Memory.Length);
    }
}
